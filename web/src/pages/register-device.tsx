import { Alert, Button, Group, NumberInput, Select, SimpleGrid, Stack, Stepper, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Given, Problem } from '../api/client.ts';
import { taxpayersQuery } from '../api/queries.ts';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Failure } from '../parts/states.tsx';
import { DATE_POLICIES, ZONES } from './device-settings.tsx';

type Registration = Required<Given<'POST /api/admin/devices'>['body']>;
interface Draft extends Omit<Registration, 'AuthorityDeviceId' | `${string}Seconds` | 'LastGlobalCounter'> {
  readonly AuthorityDeviceId: string;
}

const BEGIN: Draft = {
  TaxpayerId: '',
  AuthorityDeviceId: '',
  SerialNumber: '',
  ActivationKey: '',
  KeyAlgorithm: 'ECDSA-P256',
  Zone: 'Africa/Harare',
  MaintenanceStart: '02:00',
  DatePolicy: 'advance',
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
  const client = useQueryClient();
  const isNarrow = useMediaQuery('(max-width: 48em)');
  const { data: taxpayers = [] } = useQuery(taxpayersQuery);
  const [step, setStep] = useState(0);
  const [draft, setDraft] = useState(BEGIN);
  const taxpayerId = draft.TaxpayerId || (taxpayers.length === 1 ? (taxpayers[0]?.TaxpayerId ?? '') : '');
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const register = useMutation({
    mutationFn: () =>
      call('POST /api/admin/devices', {
        body: { ...draft, TaxpayerId: taxpayerId, AuthorityDeviceId: Number(draft.AuthorityDeviceId) },
      }),
    onSuccess: async () => {
      setStep(4);
      await client.invalidateQueries({ queryKey: ['live'] });
    },
    onError: (error) => {
      const field = error instanceof Problem ? error.errors[0]?.Field : undefined;
      if (field !== undefined) setStep(STEP_OF[field] ?? 3);
    },
  });
  const problem = register.error instanceof Problem ? register.error : undefined;
  const errorAt = (field: string) => problem?.errorAt(field);
  const isComplete = [
    taxpayerId !== '',
    Number(draft.AuthorityDeviceId) > 0 && draft.SerialNumber.trim() !== '' && draft.ActivationKey.length === 8,
    draft.Zone !== '' && draft.MaintenanceStart !== '',
    true,
  ][step];
  return (
    <Page
      title="Register a device"
      back={{ to: '/devices', label: 'Devices' }}
      lead="It makes its key here, has it certified by the authority, and opens its first day by itself."
    >
      <Panel>
        <Stepper
          active={step}
          onStepClick={(to) => to < step && step < 4 && setStep(to)}
          size="sm"
          orientation={isNarrow ? 'vertical' : 'horizontal'}
        >
          <Stepper.Step label="Taxpayer">
            <Stack maw={520} pt="md">
              <Select
                label="Taxpayer"
                description="Who the device seals for"
                placeholder="Choose"
                searchable
                data={taxpayers.map(({ TaxpayerId, Name, TIN }) => ({
                  value: TaxpayerId,
                  label: `${Name} (TIN ${TIN})`,
                }))}
                value={taxpayerId || null}
                onChange={(value) => set({ TaxpayerId: value ?? '' })}
                error={errorAt('TaxpayerId')}
              />
              {taxpayers.length === 0 && (
                <Text size="sm">There is no taxpayer yet: an admin adds one under Taxpayers.</Text>
              )}
            </Stack>
          </Stepper.Step>
          <Stepper.Step label="Device">
            <Stack maw={520} pt="md">
              <Text size="sm" c="dimmed">
                All three are given by the authority when the device is entered in its register.
              </Text>
              <NumberInput
                label="Device id"
                hideControls
                allowDecimal={false}
                allowNegative={false}
                value={draft.AuthorityDeviceId}
                onChange={(value) => set({ AuthorityDeviceId: String(value) })}
                error={errorAt('AuthorityDeviceId')}
              />
              <TextInput
                label="Serial number"
                maxLength={20}
                value={draft.SerialNumber}
                onChange={(event) => set({ SerialNumber: event.currentTarget.value })}
                error={errorAt('SerialNumber')}
              />
              <TextInput
                label="Activation key"
                description="Eight characters; works once"
                maxLength={8}
                value={draft.ActivationKey}
                onChange={(event) => set({ ActivationKey: event.currentTarget.value.trim() })}
                error={errorAt('ActivationKey')}
              />
            </Stack>
          </Stepper.Step>
          <Stepper.Step label="Settings">
            <Stack maw={640} pt="md">
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <Select
                  label="Time zone"
                  data={ZONES}
                  searchable
                  value={draft.Zone}
                  onChange={(value) => set({ Zone: value ?? '' })}
                  error={errorAt('Zone')}
                />
                <TextInput
                  label="Maintenance window starts"
                  type="time"
                  value={draft.MaintenanceStart}
                  onChange={(event) => set({ MaintenanceStart: event.currentTarget.value })}
                  error={errorAt('MaintenanceStart')}
                />
                <Select
                  label="Key"
                  data={['ECDSA-P256', 'RSA-2048'] as const}
                  allowDeselect={false}
                  value={draft.KeyAlgorithm}
                  onChange={(value) => set({ KeyAlgorithm: value ?? 'ECDSA-P256' })}
                />
              </SimpleGrid>
              <Select
                label="When dates run backwards"
                data={DATE_POLICIES}
                allowDeselect={false}
                value={draft.DatePolicy}
                onChange={(value) => set({ DatePolicy: value ?? 'advance' })}
              />
              <Text size="sm" c="dimmed">
                All but the key can be changed later.
              </Text>
            </Stack>
          </Stepper.Step>
          <Stepper.Step label="Register">
            <Stack maw={520} pt="md">
              <Facts
                facts={[
                  ['Taxpayer', taxpayers.find((one) => one.TaxpayerId === taxpayerId)?.Name ?? '–'],
                  ['Device id', draft.AuthorityDeviceId],
                  ['Serial number', draft.SerialNumber],
                  ['Time zone', draft.Zone],
                  ['Window', `from ${draft.MaintenanceStart}, two hours`],
                  ['Key', draft.KeyAlgorithm],
                ]}
              />
              {problem !== undefined && <Failure error={problem} />}
            </Stack>
          </Stepper.Step>
          <Stepper.Completed>
            <Stack pt="md" maw={520}>
              <Alert
                color="seal"
                variant="light"
                icon={<Icon name="check" />}
                title={`Device ${draft.AuthorityDeviceId} is registered`}
                role="status"
              >
                Its key never leaves this installation. The first day is being opened; then it seals.
              </Alert>
              <Group>
                <Button component={Link} to="/devices/$deviceId" params={{ deviceId: draft.AuthorityDeviceId }}>
                  Go to the device
                </Button>
                <Button component={Link} to="/try" variant="default">
                  Sign a first receipt
                </Button>
              </Group>
            </Stack>
          </Stepper.Completed>
        </Stepper>
        {step < 4 && (
          <Group mt="xl">
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
              <Button loading={register.isPending} onClick={() => register.mutate()}>
                Register the device
              </Button>
            )}
          </Group>
        )}
      </Panel>
    </Page>
  );
}
