import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useEffect, useRef } from 'react';
import { Problem } from '../api/client.ts';
import { DialogButton, type DialogProps } from './actions.tsx';
import { tell } from './notify.ts';
import { Failure } from './states.tsx';

/** What is typed into a form, and sending it whole; what is refused stands at its field. */
export function useSending<Values extends object, Answer>(options: {
  readonly values: Values;
  readonly send: (values: Values) => Promise<Answer>;
  readonly onSent?: (answer: Answer) => void;
  readonly onRefused?: (error: Error) => void;
  /** What is shown stays as it is until the person goes on: the answer is shown only once. */
  readonly isShownOnce?: true;
}) {
  type Path = Parameters<typeof form.getInputProps>[0];
  const client = useQueryClient();
  const form = useForm<Values>({ initialValues: options.values });
  const sending = useMutation({
    mutationFn: () => options.send(form.getValues()),
    onSuccess: async (answer) => {
      form.resetDirty();
      options.onSent?.(answer);
      if (!options.isShownOnce) await client.invalidateQueries();
    },
    onError: (error) => {
      form.setErrors(errorsByField(error));
      options.onRefused?.(error);
    },
  });
  return {
    form,
    answer: sending.data,
    error: sending.error,
    isPending: sending.isPending,
    send: () => sending.mutate(),
    field: (name: Path, ...words: Words) => ({ ...form.getInputProps(name), ...labelled(words) }),
    flag: (name: Path, ...words: Words) => ({ ...form.getInputProps(name, { type: 'checkbox' }), ...labelled(words) }),
  };
}

/** What stands above a field, and what it is for. */
type Words = readonly [label?: string, description?: ReactNode];

/** What gives an input its value, its label and what is wrong with it. */
export type Field = (name: string, ...words: Words) => object;
export interface Fields {
  readonly field: Field;
  readonly flag: Field;
}

const labelled = ([label, description]: Words) => ({ ...(label && { label }), ...(description && { description }) });

/** As far as the form looks at it. */
interface Sending {
  readonly form: {
    readonly isDirty: () => boolean;
    readonly reset: () => void;
    readonly getValues: () => object;
  };
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly send: () => void;
}

/** `Fees[0].Fixed` of a problem is `Fees.0.Fixed` of the form; a list is marked when one of its entries is wrong. */
function errorsByField(error: Error): Record<string, string> {
  if (!(error instanceof Problem)) return {};
  return Object.fromEntries(
    error.errors.toReversed().flatMap(({ Field, Code, Message }) => {
      // All that is typed is text: what must be a number is said in the words of the person who typed it.
      const words = Code === 'WrongType' ? 'must be a number, such as 2.50' : Message;
      const path = Field.replaceAll(/\[(\d+)\]/g, '.$1');
      return [[headOf(Field), words] as const, [path, words] as const];
    }),
  );
}

const headOf = (field: string) => field.split(/[.[]/, 1)[0] ?? field;

/** What is wrong with something that the form does not ask for. */
function isUnplaced({ form, error }: Sending): boolean {
  if (!(error instanceof Problem) || error.errors.length === 0) return true;
  const values = form.getValues();
  return error.errors.some(({ Field }) => !(headOf(Field) in values));
}

interface FormProps {
  readonly sending: Sending;
  readonly button: string;
  readonly children: ReactNode;
}

function FormBody(props: FormProps & { readonly mayEdit?: boolean; readonly label?: string; readonly bar: ReactNode }) {
  const { sending, mayEdit = true } = props;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // A form may be long: the first field that is wrong is brought into sight.
    if (sending.error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [sending.error]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    sending.send();
  };
  return (
    <form ref={form} onSubmit={submit} aria-label={props.label}>
      <fieldset disabled={!mayEdit} className="bare-fieldset">
        <Stack>
          {props.children}
          {sending.error !== null && isUnplaced(sending) && <Failure error={sending.error} />}
          {mayEdit && props.bar}
        </Stack>
      </fieldset>
    </form>
  );
}

/** In a dialog: one button below the fields, in sight however many there are. */
export function DialogForm(
  props: FormProps & { readonly isReady?: boolean | undefined; readonly danger?: boolean | undefined },
) {
  return (
    <FormBody
      {...props}
      bar={
        <Button
          type="submit"
          className="dialog-save"
          color={props.danger ? 'red' : undefined}
          loading={props.sending.isPending}
          disabled={props.isReady === false}
        >
          {props.button}
        </Button>
      }
    />
  );
}

interface FormDialogProps<Values extends object, Answer> extends Omit<DialogProps, 'children'> {
  readonly values: Values;
  readonly send: (values: Values) => Promise<Answer>;
  /** What to say when it is sent. */
  readonly done?: string;
  readonly onSent?: (answer: Answer) => void;
  /** What is shown once, instead of the form; without it the dialog closes. */
  readonly answer?: (answer: Answer) => ReactNode;
  /** The title of the dialog unless it says otherwise. */
  readonly button?: string;
  readonly danger?: boolean;
  readonly isReady?: (values: Values) => boolean;
  readonly children: (sending: ReturnType<typeof useSending<Values, Answer>>) => ReactNode;
}

/** A button, and behind it a form in a dialog. */
export function FormDialog<Values extends object, Answer>(props: FormDialogProps<Values, Answer>) {
  return <DialogButton {...props}>{(close) => <OpenForm {...props} close={close} />}</DialogButton>;
}

function OpenForm<Values extends object, Answer>(
  props: FormDialogProps<Values, Answer> & { readonly close: () => void },
) {
  const sending = useSending({
    values: props.values,
    send: props.send,
    onSent: (answer) => {
      if (props.done !== undefined) tell(props.done);
      props.onSent?.(answer);
      if (props.answer === undefined) props.close();
    },
  });
  if (sending.answer !== undefined && props.answer !== undefined) return props.answer(sending.answer);
  return (
    <DialogForm
      sending={sending}
      button={props.button ?? props.title}
      danger={props.danger}
      isReady={props.isReady?.(sending.form.values)}
    >
      {props.children(sending)}
    </DialogForm>
  );
}

/** On a page: Save stays in sight, and leaving with something unsaved asks first. */
export function PageForm(
  props: FormProps & { readonly mayEdit?: boolean; readonly label?: string; readonly beside?: ReactNode },
) {
  const { form, isPending } = props.sending;
  const isChanged = form.isDirty();
  return (
    <FormBody
      {...props}
      bar={
        <Group className="save-bar">
          <LeaveGuard isChanged={() => form.isDirty()} />
          <Button type="submit" loading={isPending} disabled={!isChanged}>
            {props.button}
          </Button>
          {isChanged && (
            <Button variant="default" onClick={form.reset}>
              Undo
            </Button>
          )}
          {props.beside}
        </Group>
      }
    />
  );
}

function LeaveGuard({ isChanged }: { readonly isChanged: () => boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isChanged,
    enableBeforeUnload: isChanged,
    withResolver: true,
  });
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title="Leave without saving?">
      <Stack>
        <Text>What you changed here is lost.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={reset} data-autofocus>
            Stay here
          </Button>
          <Button color="red" onClick={proceed}>
            Leave without saving
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
