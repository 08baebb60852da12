import { NumberInput, PasswordInput, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { PageForm, useSending } from '../parts/form.tsx';
import { tell } from '../parts/notify.ts';
import { Panel } from '../parts/panel.tsx';
import { addressOf, type Endpoint, EndpointFields, isMail, nameOf } from './endpoint-fields.tsx';

const FROM_1_TO_100 = { allowDecimal: false, min: 1, max: 100 };

export function EndpointSettings({ endpoint }: { readonly endpoint: Endpoint }) {
  const isToPerson = isMail(endpoint);
  const { Description, EventTypes, AlertKinds, BatchSize, MaxPerSecond, HoldOnRefusal, HeaderName } = endpoint;
  const sending = useSending({
    values: {
      Address: nameOf(endpoint),
      Description,
      EventTypes,
      AlertKinds,
      BatchSize,
      HoldOnRefusal,
      MaxPerSecond: MaxPerSecond ?? '',
      Header: { Name: HeaderName ?? '', Value: '' },
    },
    send: ({ Address, MaxPerSecond: most, Header, ...rest }) =>
      call('PATCH /api/admin/endpoints/:endpointId', {
        params: { endpointId: endpoint.EndpointId },
        body: {
          ...rest,
          Address: addressOf(Address, isToPerson),
          MaxPerSecond: most === '' ? null : Number(most),
          // Its value is not known here: nothing typed leaves it as it is.
          ...(Header.Name === '' ? { Header: null } : Header.Value !== '' && { Header }),
        },
      }),
    onSent: () => {
      tell('Saved.');
      sending.form.setFieldValue('Header.Value', '');
      sending.form.resetDirty();
    },
  });
  const { field } = sending;
  return (
    <PageForm sending={sending} button="Save" mayEdit={useMay('PATCH /api/admin/endpoints/:endpointId')}>
      <Panel title="Settings">
        <EndpointFields owner={endpoint} isToPerson={isToPerson} field={field} />
        {!isToPerson && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <NumberInput {...FROM_1_TO_100} {...field('BatchSize', 'Events in a request, at most')} />
            <NumberInput
              placeholder="No limit"
              {...FROM_1_TO_100}
              {...field('MaxPerSecond', 'Requests per second, at most')}
            />
            <TextInput placeholder="Authorization" {...field('Header.Name', 'A header of its own')} />
            <PasswordInput
              placeholder={HeaderName === null ? 'None' : 'There is one; type to replace it'}
              autoComplete="off"
              {...field('Header.Value', 'Value of the header, never shown again')}
            />
            <Switch
              label="Hold everything while an event is refused"
              description="Otherwise it is set aside after three answers 400, 409, 413, 415 or 422"
              {...sending.flag('HoldOnRefusal')}
            />
          </SimpleGrid>
        )}
      </Panel>
    </PageForm>
  );
}
