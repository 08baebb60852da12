import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';
import { tell, tellFailure } from './notify.ts';

interface ActionProps {
  readonly label: ReactNode;
  readonly doIt: () => Promise<unknown>;
  /** What to say when it is done. */
  readonly done?: string;
  readonly look?: ButtonProps;
}

/** Does something, says how it went, and reads again what is shown. */
function useAction({ doIt, done }: ActionProps, onDone?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: doIt,
    onSuccess: async () => {
      if (done !== undefined) tell(done);
      onDone?.();
      await client.invalidateQueries();
    },
    onError: tellFailure,
  });
}

export function ActionButton(props: ActionProps) {
  const action = useAction(props);
  return (
    <Button variant="default" {...props.look} loading={action.isPending} onClick={() => action.mutate()}>
      {props.label}
    </Button>
  );
}

/** What cannot be undone looks like it before it is touched. */
const DANGER = { variant: 'light', color: 'red' } as const;
const PLAIN = { variant: 'default' } as const;

/** Says what it will do before it does it. */
export function ConfirmButton(
  props: ActionProps & {
    readonly title: string;
    readonly children: ReactNode;
    readonly danger?: boolean;
    /** False: what is asked in the dialog has to be answered first. */
    readonly isReady?: boolean;
  },
) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const action = useAction(props, close);
  return (
    <>
      <Button {...(props.danger ? DANGER : PLAIN)} {...props.look} onClick={open}>
        {props.label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={props.title}>
        <Stack>
          <Text component="div">{props.children}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              color={props.danger ? 'red' : undefined}
              disabled={props.isReady === false}
              loading={action.isPending}
              onClick={() => action.mutate()}
              data-autofocus
            >
              {props.title}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** Opens a dialog; its content starts fresh every time. */
export function DialogButton(props: {
  readonly label: ReactNode;
  readonly title: string;
  readonly look?: ButtonProps;
  readonly children: (close: () => void) => ReactNode;
}) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button {...props.look} onClick={open}>
        {props.label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={props.title}>
        {props.children(close)}
      </Modal>
    </>
  );
}

export const ADD_LOOK: ButtonProps = { leftSection: <Icon name="plus" size={16} /> };
