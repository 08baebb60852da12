import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Seal } from '../parts/icons.tsx';

/** A page for who is not in yet. */
export function Doorway(props: { readonly title: string; readonly lead: string; readonly children?: ReactNode }) {
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
