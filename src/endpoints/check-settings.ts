import type { EndpointChange } from '../contract/endpoints/endpoint-shapes.ts';
import { TAXPAYER_EVENTS, VENDOR_EVENTS } from '../contract/platform/event.ts';
import { ALERT_KINDS, type AlertKind, factsOf } from '../contract/shared/kinds.ts';
import { ALERT_EVENTS, BILLER_EVENTS } from '../contract/shared/values.ts';
import type { Violation } from '../kernel/refusal.ts';
import { urlFault } from '../platform/network/outgoing.ts';
import { isMail, type Owner } from './core/endpoint.ts';
import { isGoodSecret } from './secrets.ts';

export interface AddressRules {
  readonly allowsPrivate: boolean;
  readonly hasMail: boolean;
  /** A token has no mail sent; one of a tenant's people to who confirms it; an operator to anybody. */
  readonly caller: 'token' | 'person' | 'operator';
}

/** What stands there; a mail has everything that waits. */
export const MAIL_BATCH = 100;
/** The till has it in its answer. */
const NOT_BY_DEFAULT = 'receipt.signed';
const MAIL = /^mailto:[^\s@<>()[\]\\,;:"?&%]{1,64}@[A-Za-z0-9.-]{1,189}$/;
/** What HTTP and the signature need for themselves. */
const RESERVED =
  /^(webhook-.*|content-.*|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|user-agent|traceparent|tracestate|proxy-.*)$/i;

function typesOf({ taxpayerId, vendorId, billerCode }: Owner, address: string): readonly string[] {
  if (billerCode !== null) return BILLER_EVENTS;
  if (isMail(address) || (taxpayerId === null && vendorId === null)) return ALERT_EVENTS;
  return [...new Set([...Object.keys(taxpayerId === null ? VENDOR_EVENTS : TAXPAYER_EVENTS), ...ALERT_EVENTS])];
}

/** Of mail that somebody has set up for themselves: what cannot wait, where anything of theirs is such a matter. */
export function defaultKinds({ taxpayerId }: Owner, address: string, rules: AddressRules): readonly AlertKind[] {
  return isToConfirm(address, rules) && taxpayerId !== null
    ? ALERT_KINDS.filter((kind) => factsOf(kind)?.isUrgent && factsOf(kind)?.about === 'device')
    : [];
}

export function isToConfirm(address: string, { caller }: AddressRules): boolean {
  return isMail(address) && caller === 'person';
}

export function defaultTypes(owner: Owner, address: string): readonly string[] {
  return typesOf(owner, address).filter((type) => type !== NOT_BY_DEFAULT);
}

/** What cannot be, each with what to do instead. `address` is the one that it will have. */
export function settingFaults(
  settings: EndpointChange & { readonly Secret?: string },
  address: string,
  owner: Owner,
  rules: AddressRules,
): Violation[] {
  const { Address, EventTypes = [], BatchSize = MAIL_BATCH, Header, Secret } = settings;
  const faults: Violation[] = [];
  const report = (Field: string, Code: string, Message: string) => faults.push({ Field, Code, Message });
  const wrong =
    Address === undefined
      ? undefined
      : owner.billerCode !== null && isMail(Address)
        ? 'mail is about alerts, and a biller is told of payments: use an https address'
        : addressFault(Address, rules);
  if (wrong !== undefined) report('Address', 'AddressRefused', wrong);
  const types = typesOf(owner, address);
  const foreign = EventTypes.find((type) => !types.includes(type));
  if (foreign !== undefined) {
    report('EventTypes', 'NotOneOf', `${foreign} is none of the events that can be sent here: ${types.join(', ')}`);
  }
  if (isMail(address) && BatchSize !== MAIL_BATCH) {
    report('BatchSize', 'OutOfRange', 'a mail has all that waits: leave it out');
  }
  if (isMail(address) && Header) report('Header', 'Malformed', 'mail has no header of your choice: leave it out');
  if (isMail(address) && Secret !== undefined) report('Secret', 'Malformed', 'mail is not signed: leave it out');
  if (Header && RESERVED.test(Header.Name)) {
    report('Header.Name', 'Malformed', `${Header.Name} is set by the service itself: choose another name`);
  }
  if (Secret !== undefined && !isGoodSecret(Secret)) {
    report('Secret', 'Malformed', 'must be whsec_ and base64 of 24 to 64 bytes, or left out: one is made then');
  }
  return faults;
}

function addressFault(address: string, { allowsPrivate, hasMail, caller }: AddressRules): string | undefined {
  if (isMail(address)) {
    if (caller === 'token') return 'mail is set up in the console: ask your owner or operator, or use an https address';
    if (!hasMail) return 'this installation sends no mail: set SMTP_URL, or use an https address';
    return MAIL.test(address) ? undefined : 'must be one mail address, such as mailto:person@example.com';
  }
  if (!address.startsWith('https://') && !allowsPrivate)
    return 'must be an address such as https://shop.example.com/hook';
  return urlFault(address, allowsPrivate);
}
