import { Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { changePerson } from '../api/session.ts';
import { DialogForm, FormDialog, useSending } from '../parts/form.tsx';
import { ContinueWith } from './by-provider.tsx';
import { Password } from './choose-password.tsx';
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
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus
          {...sending.field('Email', 'Email')}
        />
        <Password {...sending.field('Password', 'Password')} />
      </DialogForm>
      <FormDialog
        label="Forgot your password?"
        title="A new password"
        look={{ variant: 'subtle', size: 'xs' }}
        button="Send me a link"
        values={{ Email: sending.form.getValues().Email }}
        send={(body) => call('POST /api/admin/session/reset', { body })}
        answer={() => <Text>If there is an account with this address, a mail with a link is on its way.</Text>}
      >
        {({ field }) => <TextInput type="email" required data-autofocus {...field('Email', 'Email')} />}
      </FormDialog>
      <ContinueWith />
    </Doorway>
  );
}
