import { PasswordInput, type PasswordInputProps } from '@mantine/core';
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
      <Password {...sending.field('CurrentPassword', 'Current password')} />
      <NewPassword field={sending.field('NewPassword')} />
    </DialogForm>
  );
}

export function Password(props: PasswordInputProps) {
  return <PasswordInput autoComplete="current-password" required withAsterisk={false} {...props} />;
}

export function NewPassword({ field }: { readonly field: object }) {
  return (
    <Password
      label="New password"
      description="At least 12 characters. Several words are easy to remember."
      autoComplete="new-password"
      {...field}
    />
  );
}

/** Asked for again where a way in changes. */
export function OwnPassword({ field }: { readonly field: object }) {
  const mayHaveNone = useOpenIdProvider() !== null;
  return (
    <Password
      label="Your password"
      description={mayHaveNone && 'Have you none? Log out, and “Forgot your password?” mails you a link.'}
      data-autofocus
      {...field}
    />
  );
}
