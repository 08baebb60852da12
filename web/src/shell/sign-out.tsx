import { Anchor } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { changePerson } from '../api/session.ts';
import { tellFailure } from '../parts/notify.ts';

export function useSignOut() {
  const client = useQueryClient();
  return async (everywhere: boolean) => {
    try {
      await call('DELETE /api/admin/session', everywhere ? { query: { Everywhere: true } } : {});
      changePerson(client, null);
    } catch (error) {
      tellFailure(error instanceof Error ? error : new Error(String(error)));
    }
  };
}

/** For who got stuck half-way in. */
export function SignOut() {
  const signOut = useSignOut();
  return (
    <Anchor component="button" type="button" ta="center" onClick={() => void signOut(false)}>
      Sign out
    </Anchor>
  );
}
