/** The control API, described in docs/simulator.md. Paths are below `/control`. */

import { closeByHand } from '../operations/decide-closing.ts';
import type { Authority } from '../state/authority.ts';
import type { CallLog } from '../state/call-log.ts';
import { type Faults, readFault } from '../state/faults.ts';
import { newActivationKey, newDevice } from '../state/registry-defaults.ts';
import type { Switches } from '../state/switches.ts';
import { readWebhookAnswer, type WebhookReceiver } from '../state/webhook-receiver.ts';
import { listDays } from '../store/days.ts';
import { receiptsOfDevice } from '../store/receipts.ts';
import {
  type Device,
  findDevice,
  findTaxpayer,
  listCertificates,
  listDevices,
  listTaxpayers,
  revokeCertificates,
  saveDevice,
  saveTaxpayer,
} from '../store/registry.ts';
import { ControlRefusal, readControl, readDeviceSettings, readSwitches, readTaxpayer } from './control-request.ts';
import { presentDay, presentReceipt } from './present.ts';

export interface ControlContext {
  readonly authority: Authority;
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly webhooks: WebhookReceiver;
  readonly cutConnections: () => void;
  readonly changeSwitches: (changes: Partial<Switches>) => void;
}

export interface ControlCall {
  /** What stands for `:id` in the path. */
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

type Handler = (context: ControlContext, call: ControlCall) => unknown;

/** Does what is asked for at a path below `/control`, as `METHOD /path`. */
export function control(context: ControlContext, what: string, query: URLSearchParams, body: Buffer): Promise<unknown> {
  const [method, area, id = '', ...rest] = what.split('/');
  const handler = CONTROL_ROUTES[what] ?? CONTROL_ROUTES[[method, area, ':id', ...rest].join('/')];
  if (!handler) throw new ControlRefusal(404, `there is no ${what} below /control`);
  return context.authority.db.transact(() => handler(context, { id, query, body }));
}

export const CONTROL_ROUTES: Readonly<Record<string, Handler>> = {
  'GET /faults': ({ faults }) => faults.list(),
  'POST /faults': ({ faults, cutConnections }, { body }) => {
    faults.add(readControl(body, readFault));
    if (faults.isCutOff()) cutConnections();
    return faults.list();
  },
  'DELETE /faults': ({ faults }) => {
    faults.clear();
    return [];
  },

  'GET /calls': ({ calls }, { query }) => {
    const device = query.get('deviceId');
    const deviceId = device === null ? undefined : Number(device);
    return {
      concurrency: calls.concurrency(),
      calls: calls.list({ deviceId, operation: query.get('operation') ?? undefined }),
    };
  },
  'DELETE /calls': ({ calls }) => {
    calls.clear();
    return {};
  },

  'GET /settings': ({ authority }) => authority.switches(),
  'PATCH /settings': ({ authority, changeSwitches }, { body }) => {
    changeSwitches(readControl(body, readSwitches));
    return authority.switches();
  },
  'GET /clock': ({ authority }) => presentClock(authority),
  'POST /clock': ({ authority }, { body }) => {
    const { offsetSeconds, time } = readControl(body, (fields) => ({
      offsetSeconds: fields.optionalInteger('offsetSeconds'),
      time: fields.optionalText('time', 40),
    }));
    const instant = authority.clock.instantOf(time ?? '');
    if (offsetSeconds !== undefined) authority.clock.setOffset(offsetSeconds);
    else if (instant !== undefined) authority.clock.setInstant(instant);
    else throw new ControlRefusal(400, 'give offsetSeconds, or time such as 2026-01-01T00:00:00');
    return presentClock(authority);
  },
  // For tests only: time stands still at this moment until it is set again, so that a month passes in seconds.
  'PUT /clock': ({ authority }, { body }) => {
    const time = readControl(body, (fields) => fields.text('time', 40));
    const instant = authority.clock.instantOf(time);
    if (instant === undefined) throw new ControlRefusal(400, 'give time such as 2026-01-01T00:00:00Z');
    authority.clock.standAt(instant);
    return presentClock(authority);
  },

  'GET /taxpayers': ({ authority }) => listTaxpayers(authority.db),
  'POST /taxpayers': ({ authority }, { body }) => {
    const taxpayer = readControl(body, readTaxpayer);
    saveTaxpayer(authority.db, taxpayer);
    return taxpayer;
  },
  'PATCH /taxpayers/:id': ({ authority }, { id, body }) => {
    const known = findTaxpayer(authority.db, id);
    if (!known) throw new ControlRefusal(404, `there is no taxpayer ${id}`);
    const changed = readControl(body, (fields) => ({
      tin: id,
      name: fields.optionalText('name', 250) ?? known.name,
      // An empty text ends the registration for VAT.
      vatNumber: (fields.optionalText('vatNumber', 9) ?? known.vatNumber) || null,
      status: fields.optionalOneOf('status', ['Active', 'Inactive']) ?? known.status,
    }));
    saveTaxpayer(authority.db, changed);
    return changed;
  },

  'GET /devices': ({ authority }) => listDevices(authority.db),
  'POST /devices': ({ authority }, { body }) => addDevice(authority, body),
  'GET /devices/:id': ({ authority }, { id }) => {
    const device = existing(authority, id);
    return { ...device, certificates: listCertificates(authority.db, device.deviceId) };
  },
  'PATCH /devices/:id': ({ authority }, { id, body }) => {
    const changed = { ...existing(authority, id), ...readControl(body, readDeviceSettings) };
    saveDevice(authority.db, changed);
    return changed;
  },
  'POST /devices/:id/activation-key': ({ authority }, { id, body }) => {
    const given = readControl(body, (fields) => ({ key: fields.optionalText('activationKey', 8) }));
    const changed = { ...existing(authority, id), activationKey: given.key?.toUpperCase() ?? newActivationKey() };
    saveDevice(authority.db, changed);
    return changed;
  },
  'POST /devices/:id/revoke-certificates': ({ authority }, { id }) => {
    const { deviceId } = existing(authority, id);
    revokeCertificates(authority.db, deviceId);
    return listCertificates(authority.db, deviceId);
  },
  'POST /devices/:id/close-day': ({ authority }, { id }) => {
    const day = closeByHand(authority, existing(authority, id).deviceId);
    if (!day) throw new ControlRefusal(409, `device ${id} has no open day`);
    return presentDay(day);
  },
  'GET /devices/:id/receipts': ({ authority }, { id }) =>
    receiptsOfDevice(authority.db, existing(authority, id).deviceId).map(presentReceipt),
  'GET /devices/:id/days': ({ authority }, { id }) =>
    listDays(authority.db, existing(authority, id).deviceId).map(presentDay),

  // A vendor's webhook to try things with. The server answers what is posted to it, as configured here.
  'GET /webhooks': ({ webhooks }) => webhooks.list(),
  'DELETE /webhooks': ({ webhooks }) => {
    webhooks.clear();
    return [];
  },
  'PUT /webhooks/answer': ({ webhooks }, { body }) => {
    webhooks.answer = readControl(body, readWebhookAnswer);
    return webhooks.answer;
  },
};

function addDevice({ db }: Authority, body: Buffer): Device {
  const { deviceId, taxpayer, settings } = readControl(body, (fields) => ({
    deviceId: fields.integer('deviceId'),
    taxpayer: fields.object('taxpayer', readTaxpayer),
    settings: readDeviceSettings(fields),
  }));
  if (!taxpayer) throw new ControlRefusal(400, 'taxpayer is required');
  if (findDevice(db, deviceId)) throw new ControlRefusal(409, `device ${deviceId} exists already`);
  const device = newDevice(deviceId, taxpayer.tin, settings);
  saveTaxpayer(db, taxpayer);
  saveDevice(db, device);
  return device;
}

function existing({ db }: Authority, id: string): Device {
  const device = findDevice(db, Number(id));
  if (!device) throw new ControlRefusal(404, `there is no device ${id}`);
  return device;
}

function presentClock({ clock }: Authority) {
  return {
    offsetSeconds: clock.offsetSeconds,
    isStanding: clock.isStanding,
    localTime: clock.text(),
    time: new Date(clock.instant() * 1000).toISOString(),
  };
}
