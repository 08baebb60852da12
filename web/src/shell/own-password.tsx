import { PasswordInput } from '@mantine/core';
import { useOpenIdProvider } from '../api/session.ts';

/** Asked for again where a way in changes. */
export function OwnPassword({ field }: { readonly field: object }) {
  const mayHaveNone = useOpenIdProvider() !== null;
  return (
    <PasswordInput
      label="Your password"
      description={mayHaveNone && 'Have you none? Log out, and “Forgot your password?” mails you a link.'}
      autoComplete="current-password"
      required
      withAsterisk={false}
      data-autofocus
      {...field}
    />
  );
}
