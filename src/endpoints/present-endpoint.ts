import type { Endpoint } from '../contract/endpoints/endpoint-shapes.ts';
import type { EndpointContext } from './endpoint-context.ts';
import type { ListedEndpoint } from './endpoint-store.ts';

/** As its owner sees it; neither the secret nor the header's value is shown. */
export function presentEndpoint(
  endpoint: ListedEndpoint,
  { clock, senderAddresses }: Pick<EndpointContext, 'clock' | 'senderAddresses'>,
): Endpoint {
  const { oldSecretUntil, attempts, state } = endpoint;
  const isTriedAgain = state === 'Active' && attempts > 0;
  return {
    EndpointId: endpoint.endpointId,
    TaxpayerId: endpoint.taxpayerId,
    VendorId: endpoint.vendorId,
    BillerCode: endpoint.billerCode,
    Address: endpoint.address,
    Description: endpoint.description,
    EventTypes: [...endpoint.eventTypes],
    AlertKinds: [...endpoint.alertKinds],
    BatchSize: endpoint.batchSize,
    MaxPerSecond: endpoint.maxPerSecond,
    HoldOnRefusal: endpoint.isHeldOnRefusal,
    HeaderName: endpoint.headerName,
    State: state,
    PauseReason: endpoint.pauseReason,
    PausedAt: endpoint.pausedAt?.toISOString() ?? null,
    LastNumber: Number(endpoint.cursor),
    NewestNumber: Number(endpoint.newestNumber),
    FailedAttempts: attempts,
    NextAttemptAt: isTriedAgain ? endpoint.nextAttemptAt.toISOString() : null,
    LastTakenAt: endpoint.lastTakenAt?.toISOString() ?? null,
    SetAsideCount: endpoint.setAsideCount,
    OldSecretUntil: oldSecretUntil !== null && oldSecretUntil > clock() ? oldSecretUntil.toISOString() : null,
    SenderAddresses: [...senderAddresses],
    CreatedAt: endpoint.createdAt.toISOString(),
  };
}
