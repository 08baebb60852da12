import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useOwnField, usePerson } from '../api/session.ts';
import { ActionButton } from '../parts/actions.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { AddPeople, PeopleList } from '../people/people-list.tsx';
import { PracticesOf } from '../practice/practices.tsx';

export function PeoplePage() {
  const { Tenant } = usePerson();
  const owner = useOwnField();
  return (
    <Page
      title="People"
      lead={`Who may log in for ${Tenant.Kind === 'installation' ? 'this installation' : Tenant.Name}. What they do is in the audit log under their email.`}
      actions={<AddPeople owner={owner} />}
    >
      <PeopleList owner={owner} />
      {Tenant.Kind === 'taxpayer' && Tenant.Id !== null && <PracticesOf taxpayerId={Tenant.Id} />}
      <SignInRules />
    </Page>
  );
}

const rulesQuery = { queryKey: ['sign-in'], queryFn: () => call('GET /api/admin/sign-in', {}) };

function SignInRules() {
  const { data } = useQuery(rulesQuery);
  const isOfInstallation = usePerson().Tenant.Kind === 'installation';
  if (data === undefined) return null;
  const { IsSecondFactorRequired, IsRequiredOfAll } = data;
  return (
    <Panel title="Log-in">
      <Stack align="flex-start">
        <Text c="dimmed">
          {IsRequiredOfAll
            ? 'The operator of this service requires a second factor of everybody.'
            : IsSecondFactorRequired
              ? 'A second factor is required: who has none sets it up before anything else.'
              : 'A password is enough. Who wants one has a second factor.'}
        </Text>
        <ActionButton
          label={IsSecondFactorRequired ? 'No longer require a second factor' : 'Require a second factor'}
          done="Saved."
          of="PUT /api/admin/sign-in"
          given={{ body: { IsSecondFactorRequired: !IsSecondFactorRequired } }}
        />
        {isOfInstallation && (
          <ActionButton
            label={IsRequiredOfAll ? 'No longer at all tenants' : 'Require it at all tenants, too'}
            done="Saved."
            of="PUT /api/admin/sign-in"
            given={{ body: { IsSecondFactorRequired, IsRequiredOfAll: !IsRequiredOfAll } }}
          />
        )}
      </Stack>
    </Panel>
  );
}
