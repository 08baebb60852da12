import type { Role } from '../../../src/contract/console/operator.ts';
import type { IconName } from '../parts/icons.tsx';

export interface Section {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  readonly role: Role;
}

export interface SectionGroup {
  readonly title: string;
  readonly sections: readonly Section[];
}

/** The way through the console. A new page gets its line here and its route in router.tsx. */
export const SECTIONS: readonly SectionGroup[] = [
  {
    title: 'Receipts',
    sections: [
      { to: '/', label: 'Overview', icon: 'overview', role: 'viewer' },
      { to: '/devices', label: 'Devices', icon: 'device', role: 'viewer' },
      { to: '/receipts', label: 'Receipts', icon: 'receipt', role: 'viewer' },
      { to: '/alerts', label: 'Alerts', icon: 'alert', role: 'viewer' },
      { to: '/try', label: 'Try it', icon: 'try', role: 'viewer' },
    ],
  },
  {
    title: 'Bill payments',
    sections: [
      { to: '/payments', label: 'Payments', icon: 'payments', role: 'viewer' },
      { to: '/billers', label: 'Billers', icon: 'biller', role: 'viewer' },
      { to: '/vendors', label: 'Vendors', icon: 'vendor', role: 'viewer' },
      { to: '/webhooks', label: 'Webhooks', icon: 'webhook', role: 'viewer' },
    ],
  },
  {
    title: 'Administration',
    sections: [
      { to: '/taxpayers', label: 'Taxpayers', icon: 'taxpayer', role: 'viewer' },
      { to: '/tokens', label: 'Tokens', icon: 'token', role: 'admin' },
      { to: '/operators', label: 'Operators', icon: 'operator', role: 'admin' },
      { to: '/audit', label: 'Audit log', icon: 'audit', role: 'viewer' },
      { to: '/settings', label: 'Settings', icon: 'settings', role: 'viewer' },
    ],
  },
];
