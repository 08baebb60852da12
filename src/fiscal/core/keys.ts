/** How a device is known in every table. */
export interface DeviceKey {
  readonly taxpayerId: string;
  readonly deviceId: number;
}

/** How a receipt is known to the tables and, by its number, to the authority. */
export interface ReceiptKey extends DeviceKey {
  readonly globalCounter: number;
}

/** The key as the key of a map. */
export function deviceText({ taxpayerId, deviceId }: DeviceKey): string {
  return `${taxpayerId}:${deviceId}`;
}
