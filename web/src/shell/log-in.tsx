import { PasswordInput, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { changePerson } from '../api/session.ts';
import { DialogButton } from '../parts/actions.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { ContinueWith } from './by-provider.tsx';
import { Doorway } from './doorway.tsx';

export function LogIn() {
  const client = useQueryClient();
  const sending = useSending({
    values: { Email: '', Password: '' },
    send: (body) => call('POST /api/admin/session', { body }),
    onSent: ({ Person }) => changePerson(client, Person),
    onRefused: () => sending.form.setFieldValue('Password', ''),
  });
  return (
    <Doorway title="Log in" lead="For the people who look after the tills.">
      <DialogForm sending={sending} button="Log in">
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus
          {...sending.field('Email')}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          {...sending.field('Password')}
        />
      </DialogForm>
      <DialogButton label="Forgot your password?" title="A new password" look={{ variant: 'subtle', size: 'xs' }}>
        {() => <ForgotPassword email={sending.form.getValues().Email} />}
      </DialogButton>
      <ContinueWith />
    </Doorway>
  );
}

function ForgotPassword({ email }: { readonly email: string }) {
  const sending = useSending({
    values: { Email: email },
    send: (body) => call('POST /api/admin/session/reset', { body }),
  });
  if (sending.answer !== undefined) {
    return <Text>If there is an account with this address, a mail with a link is on its way.</Text>;
  }
  return (
    <DialogForm sending={sending} button="Send me a link">
      <TextInput label="Email" type="email" required data-autofocus {...sending.field('Email')} />
    </DialogForm>
  );
}
