import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Address, AnswerAt } from '../api/answers.ts';
import { call, type Given } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { Icon } from './icons.tsx';
import { tell, tellFailure } from './notify.ts';

interface ActionProps<At extends Address> {
  /** The operation behind it: who may not use it is not offered it. */
  readonly of: At;
  readonly given: Given<At>;
  readonly label: ReactNode;
  /** What to say when it is done. */
  readonly done?: string;
  readonly onDone?: (answer: AnswerAt<At>) => unknown;
  readonly look?: ButtonProps;
}

/** Does something, says how it went, and reads again what is shown. */
function useAction<At extends Address>({ of, given, done, onDone }: ActionProps<At>, close?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(of, given),
    onSuccess: async (answer) => {
      if (done !== undefined) tell(done);
      close?.();
      await onDone?.(answer);
      await client.invalidateQueries();
    },
    onError: tellFailure,
  });
}

export function ActionButton<At extends Address>(props: ActionProps<At>) {
  const action = useAction(props);
  if (!useMay(props.of)) return null;
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
export function ConfirmButton<At extends Address>(
  props: ActionProps<At> & {
    readonly title: string;
    readonly children: ReactNode;
    readonly danger?: boolean;
    /** False: what is asked in the dialog has to be answered first. */
    readonly isReady?: boolean;
  },
) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const action = useAction(props, close);
  if (!useMay(props.of)) return null;
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

export interface DialogProps {
  /** The operation that its form is for: who may not use it is not offered it. */
  readonly of?: Address;
  readonly label: ReactNode;
  readonly title: string;
  readonly look?: ButtonProps;
  readonly children: (close: () => void) => ReactNode;
}

/** Opens a dialog; its content starts fresh every time. */
export function DialogButton(props: DialogProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  if (!useMay(props.of)) return null;
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
