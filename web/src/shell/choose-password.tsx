import { Button, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import type { SessionOperator } from '../../../src/contract/session.ts';
import { call, Problem } from '../api/client.ts';
import { tell } from '../parts/notify.ts';
import { Doorway } from './log-in.tsx';
import { SESSION_KEY } from './session.tsx';

export function ChoosePassword({ operator }: { readonly operator: SessionOperator }) {
  return (
    <Doorway title="Choose a password" lead={`The one you were given for ${operator.Email} works once.`}>
      <PasswordForm label="Save and go on" />
    </Doorway>
  );
}

export function PasswordForm({ label }: { readonly label: string }) {
  const client = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () =>
      call('POST /api/admin/session/password', { body: { CurrentPassword: current, NewPassword: next } }),
    onSuccess: async () => {
      setCurrent('');
      setNext('');
      tell('Your password is changed. Your other sessions are ended.');
      await client.invalidateQueries({ queryKey: SESSION_KEY });
    },
  });
  const problem = change.error instanceof Problem ? change.error : undefined;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
          error={problem?.errorAt('CurrentPassword')}
        />
        <PasswordInput
          label="New password"
          description="At least 12 characters. Several words are easy to remember."
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
          error={problem?.errorAt('NewPassword') ?? (problem?.errors.length === 0 ? problem.message : undefined)}
        />
        <Button type="submit" loading={change.isPending}>
          {label}
        </Button>
      </Stack>
    </form>
  );
}
