import { ActionIcon, Button, Code, CopyButton as Copying, Group, Tooltip } from '@mantine/core';
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

/** Something to be kept now, because it is never shown again. */
export function Secret({ value }: { readonly value: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Code fz="sm" p="xs" className="wrap-anywhere" style={{ flex: 1 }} data-testid="secret">
        {value}
      </Code>
      <Copy value={value} label="Copy" />
    </Group>
  );
}
