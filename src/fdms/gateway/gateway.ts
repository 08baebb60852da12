/**
 * The authority's gateway, spoken to over mutual TLS: specification §4. Whatever happens comes back as a value. A
 * refusal is the authority's word; everything else that is no answer is `unavailable`, and says whether the request may
 * have arrived all the same.
 */

import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Log } from '../../platform/logging/log.ts';
import { type CallEnd, tracedCall } from '../../platform/tracing/tracing.ts';
import type {
  CertificateResponse,
  CloseDayRequest,
  CloseDayResponse,
  ConfigResponse,
  FdmsDate,
  FdmsReceipt,
  OpenDayResponse,
  PingResponse,
  ServerCertificateResponse,
  StatusResponse,
  SubmitReceiptResponse,
  VerifyTaxpayerResponse,
} from '../core/protocol.ts';
import {
  type ReadAnswer,
  readCertificateAnswer,
  readCloseDay,
  readConfig,
  readOpenDay,
  readPing,
  readServerCertificate,
  readStatus,
  readSubmitReceipt,
  readVerifyTaxpayer,
} from './answers.ts';
import { type Connections, ConnectionThread } from './connection-thread.ts';
import type { ConnectionOptions, DeviceIdentity } from './device-connections.ts';
import type { ExchangeRequest } from './exchange.ts';
import { type GatewayAnswer, type InterpretedResponse, interpretResponse, serverDate } from './response.ts';
import { writeWireJson } from './wire-json.ts';

export type { DeviceIdentity } from './device-connections.ts';

export interface Gateway {
  verifyTaxpayer(
    deviceId: number,
    request: { readonly activationKey: string; readonly deviceSerialNo: string },
  ): Promise<GatewayAnswer<VerifyTaxpayerResponse>>;
  registerDevice(
    deviceId: number,
    request: { readonly activationKey: string; readonly certificateRequest: string },
  ): Promise<GatewayAnswer<CertificateResponse>>;
  /** The active signing certificate, or the one of this thumbprint; unknown: refused with 404. */
  serverCertificate(thumbprint?: string): Promise<GatewayAnswer<ServerCertificateResponse>>;
  config(identity: DeviceIdentity): Promise<GatewayAnswer<ConfigResponse>>;
  status(identity: DeviceIdentity): Promise<GatewayAnswer<StatusResponse>>;
  openDay(
    identity: DeviceIdentity,
    request: { readonly fiscalDayNo: number; readonly fiscalDayOpened: FdmsDate },
  ): Promise<GatewayAnswer<OpenDayResponse>>;
  submitReceipt(identity: DeviceIdentity, receipt: FdmsReceipt): Promise<GatewayAnswer<SubmitReceiptResponse>>;
  /** Answered means accepted, not closed: the outcome shows in the status. */
  closeDay(identity: DeviceIdentity, request: CloseDayRequest): Promise<GatewayAnswer<CloseDayResponse>>;
  issueCertificate(identity: DeviceIdentity, certificateRequest: string): Promise<GatewayAnswer<CertificateResponse>>;
  ping(identity: DeviceIdentity): Promise<GatewayAnswer<PingResponse>>;
  /** How far the authority's clock is ahead of ours (negative: behind), by its last answer; whole seconds. */
  clockOffsetSeconds(): number | undefined;
  /** How many calls wait for their turn to connect. */
  waiting(): number;
  /** Calls that would have to connect first fail from now on. */
  stopConnecting(): void;
  /** What is under way gets some seconds to finish. */
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly url: string;
  /** The only authorities a server certificate may lead to; undefined: those the system trusts. */
  readonly caPem: string | undefined;
  /** As registered at the authority. */
  readonly modelName: string;
  readonly modelVersion: string;
  readonly timeoutMs?: number;
  /** How many devices keep their connection. */
  readonly maxConnections?: number;
  /** In a thread of their own, unless something else is given. */
  readonly connect?: (options: ConnectionOptions) => Connections;
  readonly log: GatewayLog;
  readonly clock?: Clock;
  readonly observe?: (operation: string, outcome: GatewayAnswer<unknown>['kind'], durationSeconds: number) => void;
}

export type GatewayLog = Log & { debug(fields: object, message: string): void };

type Method = 'GET' | 'POST';

interface Call<T> {
  readonly operation: string;
  readonly path: string;
  /** A ping is a POST without one. */
  readonly body?: object | undefined;
  readonly method: Method;
  readonly deviceId?: number;
  readonly identity?: DeviceIdentity | undefined;
  readonly read: ReadAnswer<T>;
}

/** The specification promises an answer within this time. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** Throws on settings that can never work: another protocol than HTTPS, unusable header values, an unreadable bundle. */
export function createGateway(options: GatewayOptions): Gateway {
  return new HttpsGateway(options);
}

function unsent(reason: string): InterpretedResponse<never> {
  return { answer: { kind: 'unavailable', reason, mayHaveArrived: false }, operationId: undefined };
}

function endOf(answer: GatewayAnswer<unknown>): CallEnd {
  if (answer.kind === 'unavailable') return { failure: answer.reason };
  if (answer.kind === 'answered') return { status: 200 };
  return { status: answer.status, failure: answer.code ?? String(answer.status) };
}

class HttpsGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #connections: Connections;
  readonly #host: string;
  readonly #pathPrefix: string;
  readonly #clock: Clock;
  #isClosed = false;
  #clockOffsetSeconds: number | undefined;

  readonly verifyTaxpayer: Gateway['verifyTaxpayer'] = (deviceId, { activationKey, deviceSerialNo }) =>
    this.#ask(deviceId, 'VerifyTaxpayerInformation', readVerifyTaxpayer, { activationKey, deviceSerialNo });
  readonly registerDevice: Gateway['registerDevice'] = (deviceId, { activationKey, certificateRequest }) =>
    this.#ask(deviceId, 'RegisterDevice', readCertificateAnswer, { certificateRequest, activationKey });
  readonly serverCertificate: Gateway['serverCertificate'] = (thumbprint) => {
    const query = thumbprint === undefined ? '' : `?thumbprint=${encodeURIComponent(thumbprint)}`;
    const operation = 'GetServerCertificate';
    return this.#call({
      operation,
      path: `/Public/v1/${operation}${query}`,
      method: 'GET',
      read: readServerCertificate,
    });
  };
  readonly config: Gateway['config'] = (identity) => this.#ask(identity, 'GetConfig', readConfig, undefined, 'GET');
  readonly status: Gateway['status'] = (identity) => this.#ask(identity, 'GetStatus', readStatus, undefined, 'GET');
  readonly openDay: Gateway['openDay'] = (identity, { fiscalDayNo, fiscalDayOpened }) =>
    this.#ask(identity, 'OpenDay', readOpenDay, { fiscalDayNo, fiscalDayOpened });
  readonly submitReceipt: Gateway['submitReceipt'] = (identity, receipt) =>
    this.#ask(identity, 'SubmitReceipt', readSubmitReceipt, { receipt });
  readonly closeDay: Gateway['closeDay'] = (identity, request) =>
    this.#ask(identity, 'CloseDay', readCloseDay, request);
  readonly issueCertificate: Gateway['issueCertificate'] = (identity, certificateRequest) =>
    this.#ask(identity, 'IssueCertificate', readCertificateAnswer, { certificateRequest });
  readonly ping: Gateway['ping'] = (identity) => this.#ask(identity, 'Ping', readPing);
  readonly clockOffsetSeconds = () => this.#clockOffsetSeconds;
  readonly waiting = () => this.#connections.waiting;
  readonly stopConnecting = () => this.#connections.stopConnecting();

  constructor(options: GatewayOptions) {
    const url = new URL(options.url);
    if (url.protocol !== 'https:') throw new TypeError('the authority is spoken to over https only');
    for (const value of [options.modelName, options.modelVersion]) {
      if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) {
        throw new TypeError('model name and version travel in headers: printable ASCII, not empty');
      }
    }
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#host = url.hostname;
    this.#pathPrefix = url.pathname.replace(/\/$/, '');
    const connect = options.connect ?? ((wanted) => new ConnectionThread(wanted, (error) => this.#onLost(error)));
    this.#connections = connect({
      origin: url.origin,
      caPem: options.caPem,
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      ...(options.maxConnections === undefined ? {} : { maxDevices: options.maxConnections }),
    });
  }

  /** As a device, or about one that has no certificate yet. */
  #ask<T>(as: DeviceIdentity | number, operation: string, read: ReadAnswer<T>, body?: object, method: Method = 'POST') {
    const [identity, deviceId] = typeof as === 'number' ? [undefined, as] : [as, as.deviceId];
    const path = `/${identity ? 'Device' : 'Public'}/v1/${deviceId}/${operation}`;
    return this.#call({ operation, path, method, body, deviceId, identity, read });
  }

  /** From its request to its meaning, with what is logged and measured about it. */
  async #call<T>(call: Call<T>): Promise<GatewayAnswer<T>> {
    const startedAt = performance.now();
    const { answer, operationId } = await tracedCall(
      { method: call.method, target: call.operation, host: this.#host },
      (headers) => this.#answer(call, headers),
      (interpreted) => endOf(interpreted.answer),
    );
    const durationSeconds = (performance.now() - startedAt) / 1_000;
    this.#options.observe?.(call.operation, answer.kind, durationSeconds);
    this.#log(call, answer, operationId, Math.round(durationSeconds * 1_000));
    return answer;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#connections.close();
  }

  #onLost(error: unknown): void {
    this.#options.log.error({ err: error }, 'The thread with the connections to the authority failed; another begins.');
  }

  async #answer<T>(call: Call<T>, traceHeaders: Readonly<Record<string, string>>): Promise<InterpretedResponse<T>> {
    const request = this.#request(call, traceHeaders);
    if (this.#isClosed) return unsent('the gateway is closed');
    const outcome = await this.#connections.exchange(call.identity, request);
    if (outcome.kind === 'failed') {
      const { reason, mayHaveArrived } = outcome;
      return { answer: { kind: 'unavailable', reason, mayHaveArrived }, operationId: undefined };
    }
    const now = this.#clock();
    const theirs = serverDate(outcome.headers);
    // The header is cut to whole seconds: half a second on average.
    if (theirs !== undefined) this.#clockOffsetSeconds = Math.round((theirs.getTime() + 500 - now.getTime()) / 1_000);
    return interpretResponse(outcome, call.read, now);
  }

  #request({ method, path, body }: Call<unknown>, traceHeaders: Readonly<Record<string, string>>): ExchangeRequest {
    return {
      method,
      path: this.#pathPrefix + path,
      headers: {
        // The prose calls the second DeviceModelVersionNo; the authority's server does not.
        DeviceModelName: this.#options.modelName,
        DeviceModelVersion: this.#options.modelVersion,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...traceHeaders,
      },
      body: body === undefined ? undefined : writeWireJson(body),
    };
  }

  /** Names, numbers and codes only: what the authority says in words may repeat a buyer, and is kept by the caller. */
  #log(call: Call<unknown>, answer: GatewayAnswer<unknown>, operationId: string | undefined, durationMs: number): void {
    const { operation, deviceId } = call;
    const fields = { operation, deviceId, operationId, durationMs };
    const { log } = this.#options;
    if (answer.kind === 'answered') log.debug(fields, 'The authority answered.');
    else if (answer.kind === 'unavailable')
      log.debug({ ...fields, reason: answer.reason }, 'The authority gave no answer.');
    else log.info({ ...fields, status: answer.status, errorCode: answer.code }, 'The authority refused.');
  }
}
