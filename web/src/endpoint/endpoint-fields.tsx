import { Checkbox, MultiSelect, SimpleGrid, TextInput } from '@mantine/core';
import type { EventType, VendorEventType } from '../../../src/contract/platform/event.ts';
import { ALERT_KINDS } from '../../../src/contract/shared/kinds.ts';
import { BILLER_EVENTS } from '../../../src/contract/shared/values.ts';
import type { AnswerAt } from '../api/answers.ts';
import { type Choice, useTaxpayerChoices, useVendorChoices } from '../api/choices.ts';
import { useOwnField } from '../api/session.ts';
import type { Field } from '../parts/form.tsx';
import { sentence, words } from '../parts/format.ts';

export type Endpoint = AnswerAt<'GET /api/admin/endpoints/:endpointId'>;
export type EndpointInList = AnswerAt<'GET /api/admin/endpoints'>['Endpoints'][number];
type Owner = Pick<EndpointInList, 'TaxpayerId' | 'VendorId' | 'BillerCode'>;

const MAIL = 'mailto:';
export const isMail = ({ Address }: { readonly Address: string }) => Address.startsWith(MAIL);
/** A person as they are written to, or the address of a program. */
export const nameOf = ({ Address }: { readonly Address: string }) => Address.trim().replace(/^mailto:/, '');
export const addressOf = (typed: string, isToPerson: boolean) =>
  `${isToPerson ? MAIL : ''}${nameOf({ Address: typed })}`;

/** Whether they are sent unless somebody chooses otherwise: of a receipt that it signed, the till has the answer. */
const ALERT_EVENTS = { 'alert.raised': true, 'alert.solved': true };
const TAXPAYER_EVENTS: Readonly<Record<EventType, boolean>> = {
  'receipt.signed': false,
  'receipt.submitted': true,
  'receipt.submission_failed': true,
  'day.opened': true,
  'day.closed': true,
  'day.close_failed': true,
  'device.blocked': true,
  'device.released': true,
  ...ALERT_EVENTS,
};
const VENDOR_EVENTS: Readonly<Record<VendorEventType, boolean>> = {
  'payment.paid': true,
  'payment.failed': true,
  'payment.flagged': true,
  'payment.fiscalised': true,
  'payment.reversed': true,
  'biller.changed': true,
  ...ALERT_EVENTS,
};
const eventsOf = ({ TaxpayerId, VendorId, BillerCode }: Owner): [string, boolean][] =>
  BillerCode !== null
    ? BILLER_EVENTS.map((type) => [type, VENDOR_EVENTS[type]])
    : Object.entries(TaxpayerId !== null ? TAXPAYER_EVENTS : VendorId !== null ? VENDOR_EVENTS : ALERT_EVENTS);
export const usualTypes = (owner: Owner) => eventsOf(owner).flatMap(([type, isUsual]) => (isUsual ? [type] : []));

/** Whose events can be sent; what is chosen names the kind as well, so that no list has to be searched for it. */
export function useOwnerChoices() {
  const named = (name: keyof Owner, choices: Choice[]) =>
    choices.map(({ value, label }) => ({ value: `${name} ${value}`, label }));
  return [
    { group: 'Taxpayers', items: named('TaxpayerId', useTaxpayerChoices()) },
    { group: 'Vendors', items: named('VendorId', useVendorChoices()) },
  ];
}
/** A tenant's people are told of what is theirs. */
export function useOwnAbout(): string | null {
  const [own] = Object.entries(useOwnField());
  return own === undefined ? null : own.join(' ');
}
export function ownerOf(choice: string | null): Owner {
  const [name, id = null] = choice?.split(' ') ?? [];
  const of = (field: keyof Owner) => (name === field ? id : null);
  return { TaxpayerId: of('TaxpayerId'), VendorId: of('VendorId'), BillerCode: of('BillerCode') };
}

/** What is asked of every endpoint; a person is written to about alerts only. */
export function EndpointFields(props: { readonly owner: Owner; readonly isToPerson: boolean; readonly field: Field }) {
  const { owner, isToPerson, field } = props;
  const address = isToPerson
    ? { label: 'E-mail address', placeholder: 'tendai@example.com', description: 'Gets a message about alerts' }
    : { label: 'Address', placeholder: 'https://', description: 'Each request is signed' };
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput {...address} required {...field('Address')} />
        <TextInput maxLength={250} {...field('Description', 'Description', 'Who or what that is')} />
      </SimpleGrid>
      {!isToPerson && (
        <Checkbox.Group {...field('EventTypes', 'Events')}>
          <SimpleGrid mt={6} cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={6}>
            {eventsOf(owner).map(([type]) => (
              <Checkbox key={type} value={type} label={sentence(type.replaceAll(/[._]/g, ' ')).slice(0, -1)} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
      {owner.BillerCode === null && (
        <MultiSelect
          searchable
          clearable
          data={ALERT_KINDS.map((value) => ({ value, label: words(value) }))}
          {...field('AlertKinds', 'Kinds of alerts', 'Only these are sent; all of them when left empty')}
        />
      )}
    </>
  );
}
