import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode, SubmitEvent } from 'react';
import { Problem } from '../api/client.ts';
import { Failure } from './states.tsx';

/** What the form sends: a mutation, as far as the form looks at it. */
interface Sending {
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly mutate: () => void;
}

/** A form that is sent whole. What is wrong with a field stands at it, everything else above the button. */
export function SendForm(props: {
  readonly sending: Sending;
  readonly button: string;
  /** As wide as this, with the button at the left and what stands beside it; without it as wide as its window. */
  readonly width?: number;
  readonly beside?: ReactNode;
  readonly mayEdit?: boolean;
  readonly children: (errorAt: (field: string) => string | undefined) => ReactNode;
}) {
  const { sending, mayEdit = true } = props;
  const errors = sending.error instanceof Problem ? sending.error.errors : [];
  const errorAt = (field: string) =>
    errors.find(({ Field }) => Field === field || Field.startsWith(`${field}[`))?.Message;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    sending.mutate();
  };
  const button = (
    <Button type="submit" loading={sending.isPending}>
      {props.button}
    </Button>
  );
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!mayEdit} style={{ border: 0, padding: 0, margin: 0 }}>
        <Stack {...(props.width === undefined ? {} : { maw: props.width })}>
          {props.children(errorAt)}
          {sending.error !== null && errors.length === 0 && <Failure error={sending.error} />}
          {mayEdit &&
            (props.width === undefined ? (
              button
            ) : (
              <Group>
                {button}
                {props.beside}
              </Group>
            ))}
        </Stack>
      </fieldset>
    </form>
  );
}
