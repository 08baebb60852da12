import { PasswordInput } from '@mantine/core';
import { call } from '../api/client.ts';
import { type SessionPerson, useOpenIdProvider } from '../api/session.ts';
import { DialogForm, useSending } from '../parts/form.tsx';
import { tell } from '../parts/notify.ts';
import { Doorway } from './doorway.tsx';

export function ChoosePassword({ person }: { readonly person: SessionPerson }) {
  return (
    <Doorway title="Choose a password" lead={`The password you were given for ${person.Email} works only once.`}>
      <PasswordForm label="Save and continue" />
    </Doorway>
  );
}

export function PasswordForm({ label }: { readonly label: string }) {
  const sending = useSending({
    values: { CurrentPassword: '', NewPassword: '' },
    send: (body) => call('POST /api/admin/session/password', { body }),
    onSent: () => {
      sending.form.setValues({ CurrentPassword: '', NewPassword: '' });
      tell('Your password is changed. Your other sessions have ended.');
    },
  });
  return (
    <DialogForm sending={sending} button={label}>
      <PasswordInput
        autoComplete="current-password"
        required
        withAsterisk={false}
        {...sending.field('CurrentPassword', 'Current password')}
      />
      <PasswordInput
        label="New password"
        description="At least 12 characters. Several words are easy to remember."
        autoComplete="new-password"
        required
        withAsterisk={false}
        {...sending.field('NewPassword')}
      />
    </DialogForm>
  );
}

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
