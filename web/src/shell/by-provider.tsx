import { Button, Divider, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useOpenIdProvider } from '../api/session.ts';
import { FormDialog } from '../parts/form.tsx';
import { Panel } from '../parts/panel.tsx';
import { Failure } from '../parts/states.tsx';
import { OwnPassword } from './choose-password.tsx';
import { Doorway } from './doorway.tsx';

/** What this tab goes on with when the OpenID provider sends it back. */
interface Errand {
  /** Of the console. */
  readonly path: string;
  /** Of an invitation. */
  readonly Token?: string | undefined;
  readonly isLink?: true;
}

const KEY = 'tillseal:errand';

function leave(address: string, errand: Errand): void {
  sessionStorage.setItem(KEY, JSON.stringify(errand));
  window.location.assign(address);
}

/** Where there is a provider. */
export function ContinueWith({ token: Token }: { readonly token?: string }) {
  const provider = useOpenIdProvider();
  const path = Token === undefined ? window.location.pathname + window.location.search : '/console';
  const leaving = useMutation({
    mutationFn: () => call('POST /api/admin/session/openid', {}),
    onSuccess: ({ Address }) => leave(Address, { path, Token }),
  });
  if (provider === null) return null;
  return (
    <Stack>
      <Divider label="or" />
      {leaving.error !== null && <Failure error={leaving.error} />}
      <Button variant="default" loading={leaving.isPending} onClick={() => leaving.mutate()}>
        Continue with {provider}
      </Button>
    </Stack>
  );
}

export const isReturn = () => window.location.pathname === '/console/openid';

/** Where the provider sends the browser back to, and nowhere else. */
export function ReturnFromProvider() {
  const { error } = useQuery({
    queryKey: ['openid'],
    queryFn: async () => {
      const { path = '/console', Token, isLink }: Partial<Errand> = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
      sessionStorage.removeItem(KEY);
      const Answer = window.location.search || '?';
      if (isLink) await call('PUT /api/admin/session/identity', { body: { Answer } });
      else await call('PUT /api/admin/session/openid', { body: { Answer, ...(Token && { Token }) } });
      window.location.replace(path);
      return null;
    },
    retry: false,
    // The answer is good once.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error === null) return <Doorway title="One moment" lead="You are being logged in." />;
  return (
    <Doorway title="That did not work" lead="Nothing was changed.">
      <Failure error={error} />
      <Button component="a" href="/console" variant="default">
        Back to the console
      </Button>
    </Doorway>
  );
}

const identityQuery = {
  queryKey: ['identity'],
  queryFn: () => call('GET /api/admin/session/identity', {}),
};

/** In the settings of whoever is logged in. */
export function OwnIdentity() {
  const { data } = useQuery(identityQuery);
  if (!data?.Provider) return null;
  const { Provider, IsLinked } = data;
  const label = IsLinked ? 'Unlink' : `Link with ${Provider}`;
  return (
    <Panel title={`Log in with ${Provider}`}>
      <Stack align="flex-start">
        <Text c="dimmed">
          {IsLinked
            ? `You can log in with ${Provider}, as well as with your password.`
            : `Link your account, and ${Provider} can log you in.`}
        </Text>
        <FormDialog
          key={label}
          label={label}
          title={label}
          look={IsLinked ? { variant: 'light', color: 'red' } : {}}
          button={IsLinked ? 'Unlink' : 'Continue'}
          danger={IsLinked}
          values={{ Password: '' }}
          send={async (body) => {
            if (IsLinked) return void (await call('DELETE /api/admin/session/identity', { body }));
            const { Address } = await call('POST /api/admin/session/identity', { body });
            leave(Address, { path: '/console/settings', isLink: true });
          }}
        >
          {({ field }) => <OwnPassword field={field('Password')} />}
        </FormDialog>
      </Stack>
    </Panel>
  );
}
