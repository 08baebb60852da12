import type { Credential, Headers, World } from './world.ts';

const CONSOLE = [['X-Tillseal-Console', '1']] as const;
const NOBODY = '00000000-0000-4000-8000-000000000000';

export const bearer = (token: string): Headers => [['Authorization', `Bearer ${token}`]];
const base64 = (text: string) => Buffer.from(text).toString('base64');
const cookie = (session: string): Headers => [['Cookie', session], ...CONSOLE];

/** Makes one of every kind through the administration, as an operator would. */
export async function makeCredentials(world: World): Promise<Credential[]> {
  const { demo, names } = world;
  const shop = demo.taxpayer.id;
  const scoped = async (owner: object, scopes: readonly string[]) => {
    const made = await world.ask('POST', '/api/admin/tokens', {
      ...owner,
      Name: `Fuzz ${scopes.join()}`,
      Scopes: scopes,
    });
    names.protect(made.TokenId);
    return made;
  };
  const [signs, reads, revoked] = await Promise.all([
    scoped({ TaxpayerId: shop }, ['sign']),
    scoped({ TaxpayerId: shop }, ['read']),
    scoped({ TaxpayerId: shop }, ['sign', 'read']),
  ]);
  await world.ask('DELETE', `/api/admin/tokens/${revoked.TokenId}`);
  const others = await world.ask('POST', '/api/admin/taxpayers', { Name: 'Suspended shop', TIN: '2000000009' });
  const suspended = await scoped({ TaxpayerId: others.TaxpayerId }, ['sign', 'read']);
  await world.ask('PATCH', `/api/admin/taxpayers/${others.TaxpayerId}`, { Suspended: true });
  const stranger = await world.ask('POST', '/api/admin/taxpayers', { Name: 'Curious shop', TIN: '2000000010' });
  const curious = await scoped({ TaxpayerId: stranger.TaxpayerId }, ['sign', 'read']);
  const strangeVendor = await world.ask('POST', '/api/admin/vendors', { Code: 'CURIOUS', Name: 'Curious vendor' });
  const strangeApp = await scoped({ VendorId: strangeVendor.VendorId }, ['pay', 'read']);
  const vendor = { VendorId: world.vendorId };
  const [pays, looks] = await Promise.all([scoped(vendor, ['pay']), scoped(vendor, ['read'])]);
  const idle = await world.ask('POST', '/api/admin/vendors', { Code: 'SUSPENDED', Name: 'Suspended vendor' });
  const idleToken = await scoped({ VendorId: idle.VendorId }, ['pay', 'read']);
  await world.ask('PATCH', `/api/admin/vendors/${idle.VendorId}`, { Suspended: true });
  const [figures, looking] = await Promise.all([
    scoped({ BillerCode: Object.values(demo.billers)[0] }, ['figures']),
    scoped({}, ['viewer']),
  ]);
  names.protect(others.TaxpayerId, idle.VendorId, stranger.TaxpayerId, strangeVendor.VendorId);
  const sessions = await Promise.all(
    (['leaver', 'viewer', 'operator', 'admin'] as const).map(async (role) => ({
      role,
      session: await world.logIn(role),
    })),
  );
  const { token } = demo.vendor;
  return [
    { name: 'operator token', headers: bearer(world.operatorToken), opens: 'admin' },
    ...sessions.map(({ role, session }) => ({
      name: `session of ${role}`,
      headers: cookie(session),
      ...(role === 'admin' ? { opens: 'admin' as const } : {}),
    })),
    { name: 'session without the header', headers: [['Cookie', sessions.at(-1)?.session ?? '']] },
    { name: 'till', headers: bearer(demo.taxpayer.token), opens: 'receipts' },
    { name: 'till of a cashier', headers: bearer(demo.taxpayer.cashierToken), opens: 'receipts' },
    { name: 'till with its taxpayer', headers: bearer(base64(`${demo.taxpayer.token}:${shop}`)), opens: 'receipts' },
    { name: 'vendor', headers: bearer(token), opens: 'payments' },
    {
      name: 'vendor by Basic',
      headers: [['Authorization', `Basic ${base64(`${demo.vendor.code}:${token}`)}`]],
      opens: 'payments',
    },
    { name: "another's till", headers: bearer(curious.Token), snoops: 'receipts' },
    { name: 'another vendor', headers: bearer(strangeApp.Token), snoops: 'payments' },
    { name: 'till that only signs', headers: bearer(signs.Token) },
    { name: 'till that only reads', headers: bearer(reads.Token) },
    { name: 'revoked till', headers: bearer(revoked.Token) },
    { name: 'suspended shop', headers: bearer(suspended.Token) },
    { name: 'vendor that only pays', headers: bearer(pays.Token) },
    { name: 'vendor that only reads', headers: bearer(looks.Token) },
    { name: 'suspended vendor', headers: bearer(idleToken.Token) },
    { name: 'biller', headers: bearer(figures.Token) },
    { name: 'operator token that only looks', headers: bearer(looking.Token) },
    { name: 'none', headers: [] },
    { name: 'unknown', headers: bearer(`tsk_${'A'.repeat(43)}`) },
    { name: 'malformed', headers: [['Authorization', 'Bearer']] },
    { name: 'digest', headers: [['Authorization', `Digest ${demo.taxpayer.token}`]] },
    { name: 'till of another taxpayer', headers: bearer(base64(`${demo.taxpayer.token}:${NOBODY}`)) },
    { name: 'unknown session', headers: cookie(`tillseal-session=${'A'.repeat(43)}`) },
    { name: 'broken cookie', headers: [['Cookie', 'tillseal-session=; ;;=%00; tillseal-session'], ...CONSOLE] },
  ];
}
