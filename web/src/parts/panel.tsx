import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Icon } from './icons.tsx';
import { TextLink, useMayOpen } from './links.tsx';
import { useTimes } from './use-times.ts';

/** A white sheet on the page with a heading. */
export function Panel(props: {
  readonly title?: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly flush?: boolean;
}) {
  return (
    <Paper withBorder radius="lg" style={{ overflow: 'hidden' }} component="section">
      {(props.title !== undefined || props.aside !== undefined) && (
        <Group justify="space-between" px="md" pt="sm" pb={props.flush ? 'sm' : 0} gap="xs">
          <Title order={2}>{props.title}</Title>
          {props.aside}
        </Group>
      )}
      <Stack
        p={props.flush ? 0 : 'md'}
        gap={props.flush ? 0 : 'md'}
        className={props.title === undefined ? 'bare' : undefined}
      >
        {props.children}
      </Stack>
    </Paper>
  );
}

export interface PageProps {
  readonly title: string;
  /** What it is about, in a sentence; before it the state of what it shows. */
  readonly lead?: ReactNode;
  readonly badges?: ReactNode;
  readonly back?: { readonly to: string; readonly label: string };
  readonly actions?: ReactNode;
  /** It shows no times, so it need not say in which zone they are. */
  readonly isTimeless?: boolean;
  readonly children?: ReactNode;
}

export function Page(props: PageProps) {
  const { label } = useTimes();
  const mayGoBack = useMayOpen(props.back?.to ?? '/');
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Stack gap={2} style={{ minWidth: 0 }}>
          {props.back && mayGoBack && (
            <TextLink to={props.back.to} c="dimmed">
              <Group gap={4} component="span">
                <Icon name="back" size={14} />
                {props.back.label}
              </Group>
            </TextLink>
          )}
          <Title order={1} className="wrap-anywhere">
            {props.title}
          </Title>
          {props.lead !== undefined && (
            <Group gap="xs" c="dimmed" fz="sm">
              {props.badges}
              <span>{props.lead}</span>
            </Group>
          )}
        </Stack>
        <Stack gap={6} align="flex-end" ml="auto">
          {props.actions !== undefined && (
            <Group gap="xs" align="flex-end" justify="flex-end">
              {props.actions}
            </Group>
          )}
          {props.isTimeless !== true && (
            <Text c="dimmed" size="xs">
              Times in {label}
            </Text>
          )}
        </Stack>
      </Group>
      {props.children}
    </Stack>
  );
}

/** Names and values, one below the other; what is null is left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <Box
      component="dl"
      m={0}
      style={{ display: 'grid', gridTemplateColumns: 'minmax(96px, auto) 1fr', gap: '8px 16px' }}
    >
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== null && (
            <Fragment key={name}>
              <Text component="dt" c="dimmed">
                {name}
              </Text>
              <Text component="dd" m={0} className="wrap-anywhere">
                {value}
              </Text>
            </Fragment>
          ),
      )}
    </Box>
  );
}
