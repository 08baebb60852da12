import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { call } from '../api/client.ts';
import { Seal } from '../parts/icons.tsx';
import { changeOperator } from './session.tsx';

export function LogIn() {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const logIn = useMutation({
    mutationFn: () => call('POST /api/admin/session', { body: { Email: email, Password: password } }),
    onSuccess: ({ Operator }) => changeOperator(client, Operator),
    onError: () => setPassword(''),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    logIn.mutate();
  };
  return (
    <Doorway title="Log in" lead="For the people who look after the tills.">
      <form onSubmit={submit}>
        <Stack>
          {logIn.error && (
            <Alert color="red" variant="light" role="alert">
              {logIn.error.message}
            </Alert>
          )}
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" loading={logIn.isPending} fullWidth>
            Log in
          </Button>
        </Stack>
      </form>
    </Doorway>
  );
}

export function Doorway(props: { readonly title: string; readonly lead: string; readonly children: React.ReactNode }) {
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
              <Text c="dimmed" size="sm">
                {props.lead}
              </Text>
            </Stack>
            {props.children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
