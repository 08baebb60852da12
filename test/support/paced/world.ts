import type { LightMyRequestResponse } from 'fastify';
import type { DeviceKey } from '../../../src/fiscal/core/keys.ts';
import { registerWithAuthority } from '../../../src/fiscal/index.ts';
import { PacedAuthority } from '../authority/paced-authority.ts';
import { addOperator, DEVICE } from '../local-shop.ts';
import { addInstance, createTestService, type Instance, NOON, type TestService } from '../service.ts';
import { PacedKeeper } from './keeper.ts';

export interface PacedShop {
  readonly taxpayerId: string;
  readonly token: string;
  readonly devices: readonly DeviceKey[];
}

/** No submission comes before somebody decides so. */
const NO_WAIT = { submissionWaitMs: 0 };
let lastTin = 3_000_000_000;
let lastDeviceId = 40_000;

/**
 * Two instances of the service on one database and an authority, in which nothing happens unasked: each step of a lane, each answer and
 * each second is somebody's decision, so that a seed can take all of them. Tills and operators use the service's own routes.
 */
export class PacedWorld {
  readonly service: TestService;
  readonly authority: PacedAuthority;
  readonly keepers: readonly PacedKeeper[];
  readonly #operator: string;
  #other: Instance;

  private constructor(service: TestService, authority: PacedAuthority, operator: string, other: Instance) {
    this.service = service;
    this.authority = authority;
    const { pool, masterKeys } = service;
    const keepLate = async () => {
      for (const keeper of this.keepers) await keeper.keepLate();
    };
    const parts = { pool, masterKeys, authority, clock: () => service.now, keepLate };
    this.keepers = [new PacedKeeper(parts), new PacedKeeper(parts)];
    this.#operator = operator;
    this.#other = other;
  }

  static async open(): Promise<PacedWorld> {
    const service = await createTestService(NO_WAIT);
    const authority = await PacedAuthority.open(() => service.now, { doesManualCloseSettleGaps: true });
    return new PacedWorld(service, authority, await addOperator(service.pool), await addInstance(service, NO_WAIT));
  }

  async end(): Promise<void> {
    for (const keeper of this.keepers) await keeper.kill();
    await this.#other.close();
    await this.service.close();
    await this.authority.end();
  }

  get pool() {
    return this.service.pool;
  }

  /** What has left and not arrived must not arrive at somebody else's time. */
  get isNothingLate(): boolean {
    return this.keepers.every(({ held }) => held?.isArrived !== false);
  }

  keeper(which: number): PacedKeeper {
    const keeper = this.keepers[which];
    if (keeper === undefined) throw new Error(`there is no instance ${which}`);
    return keeper;
  }

  /** A taxpayer at noon with registered devices, whose first day is open. */
  async openShop(count: number): Promise<PacedShop> {
    this.service.now = NOON;
    lastTin += 1;
    const shop = await this.service.addTaxpayer({ tin: String(lastTin) });
    const devices: DeviceKey[] = [];
    for (let index = 0; index < count; index += 1)
      devices.push(await this.#addDevice(shop.taxpayerId, String(lastTin)));
    return { ...shop, devices };
  }

  async #addDevice(taxpayerId: string, tin: string): Promise<DeviceKey> {
    lastDeviceId += 1;
    const key = { taxpayerId, deviceId: lastDeviceId };
    const { serialNo: serialNumber, activationKey } = await this.authority.books.addDevice(key.deviceId, tin);
    const { pool, masterKeys } = this.service;
    const keeper = this.keeper(0);
    const outcome = await registerWithAuthority(
      { pool, masterKeys, gateway: keeper.gateway, clock: () => this.service.now },
      {
        ...DEVICE,
        ...key,
        serialNumber,
        activationKey,
        lastGlobalCounter: undefined,
        isAgain: false,
      },
    );
    if (outcome.kind !== 'registered') throw new Error(`device ${key.deviceId}: ${JSON.stringify(outcome)}`);
    await keeper.work(key, 20);
    return key;
  }

  sign(which: number, token: string, receipt: object | string, isLate = false): Promise<LightMyRequestResponse> {
    const instance = which === 0 ? this.service : this.#other;
    return instance.sign(token, receipt, { 'late-receipt': String(isLate) });
  }

  /** What an operator asks of a device. */
  async ask({ deviceId }: DeviceKey, path: string, body: object): Promise<LightMyRequestResponse> {
    return this.service.post(this.#operator, `/api/admin/devices/${deviceId}/${path}`, body);
  }

  wait(seconds: number): void {
    this.service.now = new Date(this.service.now.getTime() + seconds * 1000);
  }

  /** Killed, and started again: the second one with everything that it knew of heads. */
  async restart(which: number): Promise<void> {
    await this.keeper(which).kill();
    if (which === 0) return;
    await this.#other.close();
    this.#other = await addInstance(this.service, NO_WAIT);
  }

  /** An answer is so slow that the other instance takes the lane and goes on; then it arrives, at one who does not hold the lane any more. */
  async takeOver(which: number, key: DeviceKey, meanwhile: (other: PacedKeeper) => Promise<void>): Promise<void> {
    const [slow, other] = [this.keeper(which), this.keeper(1 - which)];
    await this.expireLease(key);
    await slow.step(key, 'slow');
    if (slow.held === undefined) return;
    await this.expireLease(key);
    await meanwhile(other);
    await slow.goOn('answered');
  }

  /** Its holder was silent for so long that any instance may take the lane. */
  async expireLease({ taxpayerId, deviceId }: DeviceKey): Promise<void> {
    await this.pool.query(
      "update device_lanes set locked_until = 'epoch' where taxpayer_id = $1 and device_id = $2 and locked_until is not null",
      [taxpayerId, deviceId],
    );
  }
}
