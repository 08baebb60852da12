import { Alert, type MantineColor, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';

/** What a person has to know here, and below it what they can do; green says that all is well. */
export function Notice(props: {
  readonly color: MantineColor;
  readonly title: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  readonly role?: 'status' | 'alert';
}) {
  const icon = <Icon name={props.color === 'seal' ? 'check' : 'alert'} />;
  return (
    <Alert color={props.color} icon={icon} title={props.title} role={props.role}>
      <Stack gap="sm" align="flex-start">
        <Text component="div" className="notice wrap-anywhere">
          {props.children}
        </Text>
        {props.actions}
      </Stack>
    </Alert>
  );
}
