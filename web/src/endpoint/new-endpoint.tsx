import { SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import type { AnswerAt } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { ADD_LOOK } from '../parts/actions.tsx';
import { ShownOnce } from '../parts/copy.tsx';
import { FormDialog } from '../parts/form.tsx';
import { LinkButton } from '../parts/links.tsx';
import { addressOf, EndpointFields, ownerOf, useOwnAbout, useOwnerChoices, usualTypes } from './endpoint-fields.tsx';

const ALL = { value: 'all', label: 'This installation: the alerts of all' };
const KINDS = [
  { value: 'program', label: 'Program' },
  { value: 'mail', label: 'E-mail to a person' },
];

/** Asks what it is about and where to send it; the secret of a program is shown once. */
export function NewEndpoint({ about }: { readonly about: string | null }) {
  const owners = useOwnerChoices();
  const own = useOwnAbout();
  return (
    <FormDialog
      of="POST /api/admin/endpoints"
      label="Add an endpoint"
      title="Add an endpoint"
      look={ADD_LOOK}
      button="Add"
      values={{
        kind: 'program',
        about: about ?? ALL.value,
        VendorId: '',
        Address: '',
        Description: '',
        EventTypes: usualTypes(ownerOf(about)),
        AlertKinds: [],
      }}
      isReady={({ EventTypes }) => EventTypes.length > 0}
      send={({ kind, about: id, VendorId, Address, EventTypes, ...rest }) => {
        const isToPerson = kind === 'mail';
        const types = isToPerson ? {} : { EventTypes };
        const owner = { ...ownerOf(id), ...(VendorId !== '' && { VendorId }) };
        const body = { ...rest, ...owner, ...types, Address: addressOf(Address, isToPerson) };
        return call('POST /api/admin/endpoints', { body });
      }}
      answer={(endpoint) => <Added endpoint={endpoint} />}
    >
      {({ field, form }) => (
        <>
          {ownerOf(form.values.about).BillerCode !== null ? (
            <TextInput
              label="Vendor"
              description="The id of the one that takes the payments; may be left empty where only one does"
              {...field('VendorId')}
            />
          ) : (
            <SegmentedControl fullWidth data={KINDS} aria-label="Kind" {...field('kind')} />
          )}
          {own === null && (
            <Select
              label="About"
              allowDeselect={false}
              searchable
              data={[ALL, ...owners]}
              value={form.values.about}
              onChange={(id) => form.setValues({ about: id ?? ALL.value, EventTypes: usualTypes(ownerOf(id)) })}
            />
          )}
          <EndpointFields owner={ownerOf(form.values.about)} isToPerson={form.values.kind === 'mail'} field={field} />
        </>
      )}
    </FormDialog>
  );
}

function Added(props: { readonly endpoint: AnswerAt<'POST /api/admin/endpoints'> }) {
  const { EndpointId: endpointId, Secret, State } = props.endpoint;
  const onward = (
    <LinkButton mt="sm" size="xs" variant="filled" to="/endpoints/$endpointId" params={{ endpointId }}>
      Go to the endpoint
    </LinkButton>
  );
  if (Secret === null) {
    return (
      <Text component="div">
        {State === 'Unconfirmed'
          ? 'A mail with a link is on its way. Nothing else is sent before it has been opened.'
          : 'It is added. Send a test message now.'}{' '}
        {onward}
      </Text>
    );
  }
  return (
    <ShownOnce secret={Secret}>
      This secret signs the requests. Give it to the receiver now: it is never shown again. {onward}
    </ShownOnce>
  );
}
