import type { Random } from '../../world/random.ts';
import type { Operation } from '../world/document.ts';
import { FORGETFUL, loggingIn } from '../world/sign-in.ts';
import type { World } from '../world/world.ts';

type Body = Record<string, unknown>;

/** Members of the Test biller whose payments succeed, and members whose payments fail. */
const MEMBERS = ['10023456', '88-2210', 'AF-1', 'PF-1', 'PP-1', 'PFF-1', 'M 1'];

/** A body from the document's own examples, with names that exist here and unused references. */
export function goodBody(operation: Operation, path: string, world: World, random: Random): Body {
  const example = structuredClone(random.pick(operation.bodyExamples)) as Body;
  if (operation.id === 'replaceBiller') return { ...example, Code: decodeURIComponent(path.split('/').at(-1) ?? '') };
  return { ...example, ...CHANGES[operation.id]?.(world, random, example) };
}

const CHANGES: Readonly<Record<string, (world: World, random: Random, example: Body) => Body>> = {
  signReceipt: receipt,
  checkReceipt: receipt,
  calculateReceipt: receipt,
  payBill: payment,
  authorisePayment: payment,
  reversePayment: (world, random) => ({ VendorReference: world.names.pick('vendorReference', random, true) ?? 'V-1' }),
  mailReset: () => ({ Email: FORGETFUL }),
  invite: (world) => ({ Email: `stranger-${world.next()}@fuzz.example` }),
  useLink: (world) => ({ NewPassword: `another ${world.next()} of many` }),
  logIn: (world, random) =>
    random.chance(0.3)
      ? loggingIn(random)
      : {
          // A few fixed addresses would be locked out for the rest of the run.
          Email: random.chance(0.3) ? world.leaver.email : `stranger-${world.next()}@fuzz.example`,
          Password: random.chance(0.7) ? world.leaver.password : 'not the password at all',
        },
  changePassword: (world, random) => ({
    CurrentPassword: random.chance(0.8) ? world.leaver.password : 'certainly not this one',
    NewPassword: `another ${world.next()} of many`,
  }),
  // Required, it would close all sessions, which have none.
  changeSignInRules: () => ({ IsSecondFactorRequired: false }),
  addPerson: (world) => ({ Email: `operator-${world.next()}@fuzz.example` }),
  // The second is whose device 1003 is at the simulator.
  addTaxpayer: (world, random) => ({
    Name: `Fuzz shop ${world.next()}`,
    TIN: random.pick(['2000123456', '2000000002']),
  }),
  creditInvoice: (world) => ({ Reference: `FUZZ-${world.next()}` }),
  addVendor: (world) => ({ Code: `FUZZ-${world.next()}`, CallbackUrl: 'https://vendor.invalid/changed' }),
  addBiller: (world) => ({ Code: `FUZZ-${world.next()}` }),
  registerDevice: (world, random) => ({
    TaxpayerId: world.names.pick('taxpayerId', random, true),
    ...deviceOf(random.pick([1002, 1003, 1003, 4711, 2_147_483_647])),
  }),
  changeTaxpayer: (_world, random) => ({ Suspended: random.chance(0.5) }),
  changeVendor: (_world, random) => (random.chance(0.5) ? { Suspended: random.chance(0.5) } : {}),
  changeDevice: (_world, random) => ({ BlockedReason: random.pick([null, 'Stolen']) }),
  requestDay: (_world, random) => ({ Action: random.pick(['open', 'close']) }),
  decideReceipt: (_world, random) => ({
    Decision: random.pick(['retry', 'retry-without-buyer', 'take-as-accepted', 'give-up']),
    AuthorityReceiptId: '7001',
  }),
  settlePayment: (_world, random) => ({ Outcome: random.pick(['Paid', 'Failed']) }),
  switchTenant: (world, random) => ({
    TaxpayerId: undefined,
    ...(JSON.parse(world.names.pick('tenant of a holder', random, true) ?? '{}') as Body),
  }),
  createEndpoint: () => ({ Address: NOWHERE }),
  createManagedEndpoint: (world, random) =>
    random.chance(0.2) ? mailbox(world) : { Address: NOWHERE, ...ownerOfEndpoint(world, random) },
  resendEvent: (_world, random) => ({ Number: 1 + random.below(40) }),
  resendManagedEvent: (_world, random) => ({ Number: 1 + random.below(40) }),
};

/** As the simulator knows those that it has. */
function deviceOf(id: number): Body {
  return { AuthorityDeviceId: id, SerialNumber: `SN-${id}`, ActivationKey: `DEMO${id}` };
}

const NOWHERE = 'https://receiver.invalid/events';

/** Whoever's it is: that of whoever asks. */
function mailbox(world: World): Body {
  const [Address, unsaid] = [`mailto:stranger-${world.next()}@fuzz.example`, undefined];
  return { Address, TaxpayerId: unsaid, VendorId: unsaid, EventTypes: unsaid, BatchSize: unsaid };
}

/** A taxpayer, a vendor, or all tenants; which events there are depends on it. */
function ownerOfEndpoint({ names }: World, random: Random): Body {
  const TaxpayerId = random.chance(0.6) ? names.pick('taxpayerId', random, true) : null;
  if (TaxpayerId != null) return { TaxpayerId };
  return {
    TaxpayerId,
    VendorId: random.chance(0.7) ? names.pick('vendorId', random, true) : null,
    EventTypes: undefined,
  };
}

function receipt(world: World, random: Random, example: Body): Body {
  return {
    AuthorityDeviceId: random.chance(0.95)
      ? world.demo.deviceId
      : (world.names.pick('authorityDeviceId', random, true) ?? 1),
    // Sometimes one that was used before, for a replay or a conflict.
    Reference: random.chance(0.9) ? `FUZZ-${world.next()}` : (world.names.pick('reference', random, true) ?? 'FUZZ-0'),
    Date: new Date().toISOString(),
    ...(example['Type'] === 'FiscalInvoice' ? {} : original(world, random)),
  };
}

function original(world: World, random: Random): Body {
  const reference = world.names.pick('reference', random, true) ?? 'FUZZ-0';
  return random.chance(0.7)
    ? {
        OriginalReference: reference,
        OriginalFiscalDayNumber: null,
        OriginalGlobalCounter: null,
        OriginalAuthorityDeviceId: null,
      }
    : { OriginalReference: `ELSEWHERE-${world.next()}` };
}

function payment(world: World, random: Random): Body {
  const { invoiced, target, feed, plain } = world.demo.billers;
  const common = {
    VendorReference: random.chance(0.9) ? `FUZZ-${world.next()}` : world.names.pick('vendorReference', random, true),
    MemberNumber: random.pick(MEMBERS),
    Currency: random.pick(['USD', 'ZWG', 'ZIG']),
    Products: [],
    Amount: 10.5,
  };
  if (random.chance(0.3)) {
    const Products = [{ Code: 'TOKEN-10', Quantity: 2, Price: 2.5 }];
    return { ...common, BillerCode: invoiced, Currency: 'USD', Amount: 5, Products };
  }
  return { ...common, BillerCode: random.pick([feed, plain, plain, target]) };
}
