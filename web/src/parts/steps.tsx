import { Code, Text, Timeline } from '@mantine/core';
import type { ReactNode } from 'react';

export interface Step {
  readonly key: string | number;
  readonly title: string;
  readonly color?: string;
  readonly body: ReactNode;
  /** What the other side answered, unchanged. */
  readonly answer?: string | null;
}

/** What happened, the first first; `open` steps at the end have not happened yet. */
export function Steps({ steps, open = 0 }: { readonly steps: readonly Step[]; readonly open?: number }) {
  return (
    <Timeline active={steps.length - 1 - open} bulletSize={16} lineWidth={2}>
      {steps.map(({ key, title, color, body, answer }) => (
        <Timeline.Item key={key} color={color} title={<b>{title}</b>} fz="sm">
          <Text c="dimmed" component="div" className="wrap-anywhere">
            {body}
          </Text>
          {answer && (
            <Code block mt={6} className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
              {answer}
            </Code>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
