import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { tellFailure } from './notify.ts';

/** A button that says what it will do before it does it. */
export function ConfirmButton(props: {
  readonly label: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
  readonly doIt: () => Promise<unknown>;
  readonly danger?: boolean;
  readonly look?: ButtonProps;
  /** False: what is asked in the dialog has to be answered first. */
  readonly isReady?: boolean;
}) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await props.doIt();
      close();
    } catch (error) {
      tellFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button variant="default" size="sm" {...props.look} onClick={open}>
        {props.label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={<Text fw={650}>{props.title}</Text>} centered>
        <Stack>
          <Text size="sm" component="div">
            {props.children}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Leave it
            </Button>
            <Button
              color={props.danger ? 'red' : undefined}
              disabled={props.isReady === false}
              loading={isBusy}
              onClick={() => void run()}
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
