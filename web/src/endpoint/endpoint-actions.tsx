import { NumberInput, Radio, Stack, TextInput } from '@mantine/core';
import { call } from '../api/client.ts';
import { ShownOnce } from '../parts/copy.tsx';
import { FormDialog } from '../parts/form.tsx';
import { useTimes } from '../parts/use-times.ts';
import { type Endpoint, nameOf } from './endpoint-fields.tsx';
import { behindText } from './endpoints.tsx';

const PLAIN = { variant: 'default' } as const;

/** Goes on after a pause, or again from an earlier event. */
export function Resume({ endpoint }: { readonly endpoint: Endpoint }) {
  const { readField, fieldText, label: zone } = useTimes();
  const isPaused = endpoint.State === 'Paused';
  const [label, title] = isPaused ? ['Resume', 'Resume the endpoint'] : ['Replay', 'Send events again'];
  const since = endpoint.PausedAt ?? new Date().toISOString();
  return (
    <FormDialog
      of="POST /api/admin/endpoints/:endpointId/resume"
      label={label}
      title={title}
      look={isPaused ? {} : PLAIN}
      values={{ from: endpoint.PausedAt === null ? 'Since' : '', After: endpoint.LastNumber, Since: fieldText(since) }}
      send={({ from, After, Since }) =>
        call('POST /api/admin/endpoints/:endpointId/resume', {
          params: { endpointId: endpoint.EndpointId },
          body: {
            ...(from === 'Since' && { Since: readField(Since) ?? Since }),
            ...(from === 'After' && { After }),
            ...(from === 'FromNow' && { FromNow: true }),
          },
        })
      }
      done={`Events are sent to ${nameOf(endpoint)}.`}
    >
      {({ field, form }) => (
        <>
          <Radio.Group {...field('from', 'Go on')}>
            <Stack gap="xs" mt={6}>
              {endpoint.PausedAt !== null && (
                <Radio value="" label={`From where it stopped (${behindText(endpoint)})`} />
              )}
              <Radio value="Since" label="With everything since a moment" />
              <Radio value="After" label="After the event with a number" />
              <Radio value="FromNow" label="From now: leave out everything that waits" />
            </Stack>
          </Radio.Group>
          {form.values.from === 'Since' && (
            <TextInput type="datetime-local" required {...field('Since', 'Since', zone)} />
          )}
          {form.values.from === 'After' && (
            <NumberInput min={0} required {...field('After', 'Number of the last event not to be sent')} />
          )}
        </>
      )}
    </FormDialog>
  );
}

export function RotateSecret({ endpoint }: { readonly endpoint: Endpoint }) {
  const params = { endpointId: endpoint.EndpointId };
  return (
    <FormDialog
      of="POST /api/admin/endpoints/:endpointId/secret"
      label="New secret"
      title="Make a new secret"
      look={PLAIN}
      values={{ overlap: '86400' }}
      send={({ overlap }) =>
        call('POST /api/admin/endpoints/:endpointId/secret', { params, body: { Overlap: Number(overlap) } })
      }
      answer={({ Secret }) => (
        <ShownOnce secret={Secret ?? ''}>Give it to the receiver now: it is never shown again.</ShownOnce>
      )}
    >
      {({ field }) => (
        <Radio.Group {...field('overlap', 'The old one')}>
          <Stack gap="xs" mt={6}>
            <Radio value="86400" label="Signs, too, for 24 hours, in which the receiver is changed" />
            <Radio value="0" label="Ends at once, because somebody else knows it" />
          </Stack>
        </Radio.Group>
      )}
    </FormDialog>
  );
}
