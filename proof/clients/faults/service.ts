/** What an operator does to the service while tills sell. */
import { until } from '../../../test/support/process.ts';
import { FaultyTill, outcomeFaults, type Proof, type Scene } from './till.ts';

export async function holdDevice(scene: Scene): Promise<Proof & { readonly sealed: readonly string[] }> {
  const { world, deviceId } = scene;
  const till = new FaultyTill(scene, 'hold');
  const block = (BlockedReason: string | null) => world.admin.call('PATCH', `devices/${deviceId}`, { BlockedReason });
  const faults = outcomeFaults(till.prefix, (await till.sell(2)).lines, 'Signed', 'Signed');
  await block('tried');
  const held = await till.sell(5);
  faults.push(...outcomeFaults(till.prefix, held.lines, 'Signed', 'Queued', 'Queued', 'Queued'));
  // The answer to the first one said that it is not sealed; the last one was never sent.
  for (const reference of [...till.references(3, 3), ...till.references(5, 5)]) {
    const { code, errors } = await till.run('discard', ['--reference', reference]);
    if (code !== 0) faults.push(`discarding ${reference} ended with ${code}: ${errors}`);
  }
  await block(null);
  faults.push(...(await till.settle()));
  const sealed = [...till.references(1, 2), ...till.references(4, 4)];
  return {
    name: 'a device on hold',
    what: '3 queued, 2 of them discarded, the other sealed',
    faults,
    sealed,
  };
}

export async function revokeToken(scene: Scene): Promise<Proof & { readonly sealed: readonly string[] }> {
  const { world } = scene;
  const till = new FaultyTill(scene, 'token');
  const { TokenId, Token: token } = await world.admin.call<{ TokenId: string; Token: string }>('POST', 'tokens', {
    TaxpayerId: world.taxpayerId,
    Name: till.prefix,
    Scopes: ['sign', 'read'],
  });
  const faults = outcomeFaults(till.prefix, (await till.sell(1, { token })).lines, 'Signed');
  await world.admin.call('DELETE', `tokens/${TokenId}`);
  const headers = { authorization: `Bearer ${token}` };
  await until(
    async () => (await fetch(`${world.url}/api/receipt`, { headers })).status === 401,
    'the token is refused',
  );
  const expectHalt = async (what: string, drained: Awaited<ReturnType<FaultyTill['drain']>>) => {
    if (drained.code !== 3 || drained.Status.Halted === null)
      faults.push(`${till.prefix}: ${what}: ${JSON.stringify(drained)}`);
  };
  faults.push(...outcomeFaults(till.prefix, (await till.sell(2, { token })).lines, 'Signed', 'Queued'));
  await expectHalt('a revoked token does not halt', await till.drain({ token }));
  // A good one is not tried immediately: otherwise two wrong ones would wake each other for ever.
  await expectHalt('a good token is tried too soon', await till.drain());
  till.sql('update meta set tried_at = tried_at - 300');
  faults.push(...(await till.settle()));

  faults.push(...outcomeFaults(till.prefix, (await till.sell(3, { token })).lines, 'Signed', 'Queued'));
  await till.run('resume', []);
  faults.push(...(await till.settle()));
  const what = 'halted, tried automatically after five minutes, and after resume';
  return { name: 'a revoked token', what, faults, sealed: till.references(1, 3) };
}
