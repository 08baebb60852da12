import { Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api/client.ts';
import { changePerson } from '../api/session.ts';
import { DialogButton } from '../parts/actions.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { Seal } from '../parts/icons.tsx';

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

export function Doorway(props: { readonly title: string; readonly lead: string; readonly children: ReactNode }) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack w="100%" maw={380} gap="lg">
        <Stack align="center" gap={6}>
          <Seal size={44} />
          <Text fw={700} fz="xl" lh={1}>
            Tillseal
          </Text>
        </Stack>
        <Paper withBorder radius="lg" p="xl">
          <Stack gap="lg">
            <Stack gap={2}>
              <Title order={1}>{props.title}</Title>
              <Text c="dimmed">{props.lead}</Text>
            </Stack>
            {props.children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
