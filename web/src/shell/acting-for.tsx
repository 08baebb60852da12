import { Box, Button, type ButtonProps, Menu, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { TENANT_FIELDS, type TenantKind } from '../../../src/contract/shared/values.ts';
import { call } from '../api/client.ts';
import { changePerson, useAuthority, usePerson } from '../api/session.ts';
import { Icon } from '../parts/icons.tsx';
import { Notice } from '../parts/notice.tsx';
import { tellFailure } from '../parts/notify.ts';

function useSwitch() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async (kind: TenantKind, id: string | null) => {
    const field = TENANT_FIELDS[kind];
    try {
      const person = await call('PATCH /api/admin/session', { body: field && id !== null ? { [field]: id } : {} });
      await navigate({ to: '/' });
      changePerson(client, person);
    } catch (error) {
      tellFailure(error instanceof Error ? error : new Error(String(error)));
    }
  };
}

/** A practice acts for its taxpayers; who works for the installation looks as a viewer of anybody. */
export function ActAs(props: { readonly kind: TenantKind; readonly id: string; readonly look?: ButtonProps }) {
  const { Kind } = usePerson().Tenant;
  const switchTo = useSwitch();
  if (Kind !== 'installation' && Kind !== 'practice') return null;
  return (
    <Button variant="default" {...props.look} onClick={() => void switchTo(props.kind, props.id)}>
      {Kind === 'practice' ? 'Act for' : 'Look as'}
    </Button>
  );
}

/** Of a practice. */
const clientsQuery = {
  queryKey: ['clients'],
  queryFn: async () => (await call('GET /api/admin/taxpayers', { query: { Limit: 200 } })).Taxpayers,
};

/** Whom one acts for, and the way to another. */
export function ActingFor(props: ButtonProps) {
  const { Tenant, Memberships, Role: myRole } = usePerson();
  const switchTo = useSwitch();
  const { data: clients } = useQuery({ ...clientsQuery, enabled: Tenant.Kind === 'practice' });
  const own = Memberships.filter(({ Kind, Id }) => Kind !== Tenant.Kind || Id !== Tenant.Id);
  const lookedAfter = clients?.map(({ TaxpayerId: Id, Name }) => ({
    Kind: 'taxpayer' as const,
    Id,
    Name,
    Role: myRole,
  }));
  const others = [...own, ...(lookedAfter ?? [])];
  if (others.length === 0 && Tenant.Kind === 'installation') return null;
  return (
    <Menu position="bottom-start" width={212} withinPortal disabled={others.length === 0}>
      <Menu.Target>
        <Button
          variant="default"
          justify="space-between"
          rightSection={others.length > 0 && <Icon name="unfold" size={14} />}
          aria-label={`Acting for ${Tenant.Name}`}
          {...props}
        >
          <Text truncate inherit>
            {Tenant.Name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Act for</Menu.Label>
        {others.map(({ Kind, Id, Name, Role }) => (
          <Menu.Item key={`${Kind} ${Id}`} onClick={() => void switchTo(Kind, Id)}>
            {Name}
            <Text size="xs" c="dimmed">
              {Role} · {Kind}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** An operator in the place of a tenant, and everything that is not sealed for the real authority, are never overlooked. */
export function PlaceNotice() {
  const { IsLooking, Tenant } = usePerson();
  const authority = useAuthority();
  const switchTo = useSwitch();
  return (
    <>
      {authority !== 'Real' && (
        <div className="not-real" role="note">
          <b>{authority === 'Simulator' ? 'Simulator' : 'Test'}</b>: nothing here reaches the real tax authority, no
          receipt is valid.
        </div>
      )}
      {IsLooking && (
        <Box mb="md">
          <Notice
            color="yellow"
            title={`You look as a viewer of ${Tenant.Name}`}
            actions={
              <Button size="xs" variant="default" onClick={() => void switchTo('installation', null)}>
                Back to the installation
              </Button>
            }
          >
            You change nothing here, and the audit log says that you looked.
          </Notice>
        </Box>
      )}
    </>
  );
}
