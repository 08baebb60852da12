import { Alert, Button, Center, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../api/client.ts';
import { Icon, type IconName } from './icons.tsx';

/** Shows what was asked for, or that it is on its way, or why it is not there and what to do. */
export function Loaded<Value>(props: {
  readonly query: UseQueryResult<Value>;
  readonly rows?: number;
  readonly children: (value: Value) => ReactNode;
}) {
  const { query, rows = 4, children } = props;
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  return <Waiting rows={rows} />;
}

export function Waiting({ rows = 4 }: { readonly rows?: number }) {
  return (
    <Stack gap="sm" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={`row ${index.toString()}`} height={28} radius="sm" width={`${100 - ((index * 13) % 35)}%`} />
      ))}
    </Stack>
  );
}

export function Failure({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  const problem = error instanceof Problem ? error : undefined;
  return (
    <Alert color="red" variant="light" title={problem?.title ?? 'Something went wrong'} icon={<Icon name="alert" />}>
      <Stack gap="xs">
        <Text>{error.message}</Text>
        {problem?.errors.map((one) => (
          <Text key={`${one.Field} ${one.Code}`}>
            <span className="mono">{one.Field}</span>: {one.Message}
          </Text>
        ))}
        <Group gap="sm">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {problem?.requestId && (
            <Text size="xs" className="mono">
              request {problem.requestId}
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

export function Empty(props: { readonly icon: IconName; readonly title: string; readonly children?: ReactNode }) {
  return (
    <Center py="xl" px="md">
      <Stack align="center" gap={6} maw={420}>
        <Text c="dimmed" component="span" lh={0}>
          <Icon name={props.icon} size={30} />
        </Text>
        <Text fw={600}>{props.title}</Text>
        {props.children !== undefined && (
          <Text c="dimmed" ta="center" component="div">
            {props.children}
          </Text>
        )}
      </Stack>
    </Center>
  );
}
