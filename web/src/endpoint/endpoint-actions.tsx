import { NumberInput, Radio, Stack, TextInput } from '@mantine/core';
import { call } from '../api/client.ts';
import { DialogButton } from '../parts/actions.tsx';
import { ShownOnce } from '../parts/copy.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { tell } from '../parts/notify.ts';
import { useTimes } from '../parts/use-times.ts';
import { type Endpoint, nameOf } from './endpoint-fields.tsx';
import { behindText } from './endpoints.tsx';

const PLAIN = { variant: 'default' } as const;

/** Goes on after a pause, or again from an earlier event. */
export function Resume({ endpoint }: { readonly endpoint: Endpoint }) {
  const isPaused = endpoint.State === 'Paused';
  const [label, title] = isPaused ? ['Resume', 'Resume the endpoint'] : ['Replay', 'Send events again'];
  return (
    <DialogButton
      of="POST /api/admin/endpoints/:endpointId/resume"
      label={label}
      title={title}
      look={isPaused ? {} : PLAIN}
    >
      {(close) => <ResumeForm endpoint={endpoint} button={title} onDone={close} />}
    </DialogButton>
  );
}

function ResumeForm(props: { readonly endpoint: Endpoint; readonly button: string; readonly onDone: () => void }) {
  const { endpoint, button, onDone } = props;
  const { readField, fieldText, label: zone } = useTimes();
  const since = endpoint.PausedAt ?? new Date().toISOString();
  const sending = useSending({
    values: { from: endpoint.PausedAt === null ? 'Since' : '', After: endpoint.LastNumber, Since: fieldText(since) },
    send: ({ from, After, Since }) =>
      call('POST /api/admin/endpoints/:endpointId/resume', {
        params: { endpointId: endpoint.EndpointId },
        body: {
          ...(from === 'Since' && { Since: readField(Since) ?? Since }),
          ...(from === 'After' && { After }),
          ...(from === 'FromNow' && { FromNow: true }),
        },
      }),
    onSent: () => {
      tell(`Events are sent to ${nameOf(endpoint)}.`);
      onDone();
    },
  });
  const { from } = sending.form.values;
  return (
    <DialogForm sending={sending} button={button}>
      <Radio.Group label="Go on" {...sending.field('from')}>
        <Stack gap="xs" mt={6}>
          {endpoint.PausedAt !== null && <Radio value="" label={`From where it stopped (${behindText(endpoint)})`} />}
          <Radio value="Since" label="With everything since a moment" />
          <Radio value="After" label="After the event with a number" />
          <Radio value="FromNow" label="From now: leave out everything that waits" />
        </Stack>
      </Radio.Group>
      {from === 'Since' && (
        <TextInput label="Since" type="datetime-local" description={zone} required {...sending.field('Since')} />
      )}
      {from === 'After' && (
        <NumberInput label="Number of the last event not to be sent" min={0} required {...sending.field('After')} />
      )}
    </DialogForm>
  );
}

export function RotateSecret({ endpoint }: { readonly endpoint: Endpoint }) {
  return (
    <DialogButton
      of="POST /api/admin/endpoints/:endpointId/secret"
      label="New secret"
      title="Make a new secret"
      look={PLAIN}
    >
      {() => <RotateForm endpointId={endpoint.EndpointId} />}
    </DialogButton>
  );
}

function RotateForm(params: { readonly endpointId: string }) {
  const sending = useSending({
    values: { overlap: '86400' },
    send: ({ overlap }) =>
      call('POST /api/admin/endpoints/:endpointId/secret', { params, body: { Overlap: Number(overlap) } }),
  });
  if (sending.answer !== undefined) {
    const secret = sending.answer.Secret ?? '';
    return <ShownOnce secret={secret}>Give it to the receiver now: it is never shown again.</ShownOnce>;
  }
  return (
    <DialogForm sending={sending} button="Make a new secret">
      <Radio.Group label="The old one" {...sending.field('overlap')}>
        <Stack gap="xs" mt={6}>
          <Radio value="86400" label="Signs, too, for 24 hours, in which the receiver is changed" />
          <Radio value="0" label="Ends at once, because somebody else knows it" />
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}
