import { Type } from 'typebox';
import { DeviceSchema, deviceExample } from '../fiscal/index.ts';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf } from './schemas.ts';

const ManagedDeviceSchema = Type.Object(
  {
    TaxpayerId: Type.String({ format: 'uuid' }),
    MaintenanceStart: Type.String({ description: 'Local HH:mm.' }),
    ...DeviceSchema.properties,
  },
  { title: 'ManagedDevice' },
);

const example = { TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47', MaintenanceStart: '02:00', ...deviceExample };
/** A device as operators see it, as an answer. */
export const managedDeviceAnswer = (description: string, value: object = example) => ({
  description,
  schema: ManagedDeviceSchema,
  examples: { device: { summary: 'A device', value } },
});

export const listDevicesDocumentation: RouteDocumentation = {
  operationId: 'listDevices',
  tag: 'Administration',
  summary: 'List devices',
  answers: { 200: listOf('Devices', ManagedDeviceSchema, 'DeviceList', example) },
};

export const getManagedDeviceDocumentation: RouteDocumentation = {
  operationId: 'getManagedDevice',
  tag: 'Administration',
  summary: 'Read a device of any taxpayer',
  answers: { 200: managedDeviceAnswer('The device.') },
  refusals: ['NotFound'],
};

export const changeDeviceDocumentation: RouteDocumentation = {
  operationId: 'changeDevice',
  tag: 'Administration',
  summary: "Change a device's settings, block or unblock it",
  description: 'Only the fields that are sent change. They count from the next receipt on, on every instance.',
  bodyExamples: {
    window: { summary: 'Move the maintenance window', value: { MaintenanceStart: '03:30' } },
    block: { summary: 'Block', value: { BlockedReason: 'Stolen' } },
  },
  answers: { 200: managedDeviceAnswer('As it is now.', { ...example, MaintenanceStart: '03:30' }) },
  refusals: ['NotFound'],
};
