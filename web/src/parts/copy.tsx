import { ActionIcon, Alert, Button, Code, CopyButton as Copying, Group, Stack, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';

export function Copy({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <Copying value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label} withArrow>
          <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={label}>
            <Icon name={copied ? 'check' : 'copy'} size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </Copying>
  );
}

export function CopyText({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <Copying value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="xs"
          onClick={copy}
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
        >
          {copied ? 'Copied' : label}
        </Button>
      )}
    </Copying>
  );
}

/** A value that is too long to be typed off. */
export function Copyable({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <span className="mono wrap-anywhere">{value}</span>
      <Copy value={value} label={`Copy the ${label}`} />
    </Group>
  );
}

/** Something to be kept now, because it is never shown again. */
export function ShownOnce({ secret, children }: { readonly secret: string; readonly children: ReactNode }) {
  return (
    <Stack>
      <Alert color="yellow">{children}</Alert>
      <Group gap="xs" wrap="nowrap">
        <Code fz="sm" p="xs" className="wrap-anywhere" style={{ flex: 1 }} data-testid="secret">
          {secret}
        </Code>
        <Copy value={secret} label="Copy" />
      </Group>
    </Stack>
  );
}
