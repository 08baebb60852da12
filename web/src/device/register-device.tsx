import { Button, Group, NumberInput, Select, SimpleGrid, Stack, Stepper, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { REGISTRATION_DEFAULTS } from '../../../src/contract/shared/values.ts';
import { useTaxpayerChoices, useTaxpayers } from '../api/choices.ts';
import { type BodyAt, call, Problem } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { useSending } from '../parts/form.tsx';
import { LinkButton } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Failure } from '../parts/states.tsx';
import { DATE_POLICIES, ZONES } from './device-settings.tsx';

type Registration = Required<BodyAt<'POST /api/admin/devices'>>;

interface Draft extends Omit<Registration, 'AuthorityDeviceId' | `${string}Seconds` | 'LastGlobalCounter' | 'Again'> {
  readonly AuthorityDeviceId: number | string;
}

const BEGIN: Draft = {
  TaxpayerId: '',
  AuthorityDeviceId: '',
  SerialNumber: '',
  ActivationKey: '',
  KeyAlgorithm: REGISTRATION_DEFAULTS.KeyAlgorithm,
  Zone: REGISTRATION_DEFAULTS.Zone,
  MaintenanceStart: REGISTRATION_DEFAULTS.MaintenanceStart,
  DatePolicy: REGISTRATION_DEFAULTS.DatePolicy,
};

/** Which step a field belongs to: a refusal leads back to it. */
const STEP_OF: Readonly<Record<string, number>> = {
  TaxpayerId: 0,
  AuthorityDeviceId: 1,
  SerialNumber: 1,
  ActivationKey: 1,
  Zone: 2,
  MaintenanceStart: 2,
  DatePolicy: 2,
};

export function RegisterDevicePage() {
  const isNarrow = useMediaQuery('(max-width: 48em)');
  const taxpayers = useTaxpayers();
  const choices = useTaxpayerChoices();
  const only = choices.length === 1 ? choices[0]?.value : undefined;
  const [step, setStep] = useState(useMay('GET /api/admin/taxpayers') ? 0 : 1);
  const { field, form, send, error, isPending } = useSending({
    values: BEGIN,
    send: (values) =>
      call('POST /api/admin/devices', {
        body: {
          ...values,
          TaxpayerId: values.TaxpayerId || (only ?? ''),
          AuthorityDeviceId: Number(values.AuthorityDeviceId),
        },
      }),
    onSent: () => setStep(4),
    onRefused: (refusal) => {
      const wrong = refusal instanceof Problem ? refusal.errors[0]?.Field : undefined;
      if (wrong !== undefined) setStep(STEP_OF[wrong] ?? 3);
    },
  });
  const draft = { ...form.values, TaxpayerId: form.values.TaxpayerId || (only ?? '') };
  const isComplete = [
    draft.TaxpayerId !== '',
    Number(draft.AuthorityDeviceId) > 0 && draft.SerialNumber.trim() !== '' && draft.ActivationKey.length === 8,
    draft.Zone !== '' && draft.MaintenanceStart !== '',
    true,
  ][step];
  return (
    <Page
      title="Register a device"
      isTimeless
      back={{ to: '/devices', label: 'Devices' }}
      lead="Its key is created here and certified by the authority, and its first day opens automatically."
    >
      <Panel>
        <Stepper
          active={step}
          onStepClick={(to) => to < step && step < 4 && setStep(to)}
          size="sm"
          orientation={isNarrow ? 'vertical' : 'horizontal'}
        >
          <Stepper.Step label="Taxpayer">
            <Step>
              <Select
                placeholder="Choose"
                searchable
                data={choices.map(({ value, label }) => {
                  const found = taxpayers.find(({ TaxpayerId }) => TaxpayerId === value);
                  return { value, label: found ? `${label} (TIN ${found.TIN})` : label };
                })}
                {...field('TaxpayerId', 'Taxpayer', 'The taxpayer it seals for')}
                value={draft.TaxpayerId || null}
              />
              {choices.length === 0 && <Text>There is no taxpayer yet: an admin adds one under Taxpayers.</Text>}
            </Step>
          </Stepper.Step>
          <Stepper.Step label="Device">
            <Step>
              <Text c="dimmed">The authority provides all three when it registers the device.</Text>
              <NumberInput
                hideControls
                allowDecimal={false}
                allowNegative={false}
                {...field('AuthorityDeviceId', 'Device id')}
              />
              <TextInput maxLength={20} {...field('SerialNumber', 'Serial number')} />
              <TextInput maxLength={8} {...field('ActivationKey', 'Activation key', 'Eight characters; works once')} />
            </Step>
          </Stepper.Step>
          <Stepper.Step label="Settings">
            <Step>
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <Select data={ZONES} searchable allowDeselect={false} {...field('Zone', 'Time zone')} />
                <TextInput type="time" {...field('MaintenanceStart', 'Maintenance window starts')} />
                <Select data={['ECDSA-P256', 'RSA-2048']} allowDeselect={false} {...field('KeyAlgorithm', 'Key')} />
              </SimpleGrid>
              <Select data={DATE_POLICIES} allowDeselect={false} {...field('DatePolicy', 'When dates run backwards')} />
              <Text c="dimmed">Everything except the key can be changed later.</Text>
            </Step>
          </Stepper.Step>
          <Stepper.Step label="Register">
            <Step>
              <Facts
                facts={{
                  Taxpayer: choices.find(({ value }) => value === draft.TaxpayerId)?.label ?? '–',
                  'Device id': draft.AuthorityDeviceId,
                  'Serial number': draft.SerialNumber,
                  'Time zone': draft.Zone,
                  'Maintenance window': `from ${draft.MaintenanceStart}, two hours`,
                  Key: draft.KeyAlgorithm,
                }}
              />
              {error !== null && <Failure error={error} />}
            </Step>
          </Stepper.Step>
          <Stepper.Completed>
            <Step>
              <Notice color="seal" title={`Device ${draft.AuthorityDeviceId} is registered`} role="status">
                Its key never leaves this installation. The first day is being opened; then it seals.
              </Notice>
              <Group>
                <LinkButton
                  variant="filled"
                  to="/devices/$deviceId"
                  params={{ deviceId: String(draft.AuthorityDeviceId) }}
                >
                  Go to the device
                </LinkButton>
                <LinkButton to="/try">Sign a first receipt</LinkButton>
              </Group>
            </Step>
          </Stepper.Completed>
        </Stepper>
        {step < 4 && (
          <Group>
            {step > 0 && (
              <Button variant="default" onClick={() => setStep(step - 1)}>
                Back
              </Button>
            )}
            {step < 3 ? (
              <Button disabled={!isComplete} onClick={() => setStep(step + 1)}>
                Next
              </Button>
            ) : (
              <Button loading={isPending} onClick={send}>
                Register the device
              </Button>
            )}
          </Group>
        )}
      </Panel>
    </Page>
  );
}

function Step({ children }: { readonly children: ReactNode }) {
  return (
    <Stack maw={640} pt="md">
      {children}
    </Stack>
  );
}
