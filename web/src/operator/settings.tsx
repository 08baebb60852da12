import { Box, Group, SegmentedControl, SimpleGrid, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { call } from '../api/client.ts';
import { useMay, usePerson } from '../api/session.ts';
import { ConfirmButton } from '../parts/actions.tsx';
import { OuterLink } from '../parts/links.tsx';
import { tell } from '../parts/notify.ts';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { useTimes } from '../parts/use-times.ts';
import { PasswordForm } from '../shell/choose-password.tsx';

export function SettingsPage() {
  const { moment } = useTimes();
  const person = usePerson();
  const isAdmin = useMay('admin');
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Page title="Settings">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Panel title="You">
          <Facts
            facts={{
              Name: person.Name,
              Email: person.Email,
              Role: person.Role,
              'Logged in until': moment(person.ExpiresAt),
            }}
          />
          <Group gap="sm">
            <Text id="theme">Theme</Text>
            <SegmentedControl
              size="xs"
              aria-labelledby="theme"
              value={colorScheme}
              onChange={(value) => setColorScheme(value === 'dark' ? 'dark' : value === 'light' ? 'light' : 'auto')}
              data={[
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
                { value: 'auto', label: 'As the system' },
              ]}
            />
          </Group>
        </Panel>
        <Panel title="Change your password">
          <Box maw={420}>
            <PasswordForm label="Change" />
          </Box>
        </Panel>
        <Panel title="This installation">
          <Stack gap="xs">
            {LINKS.map(([href, label, note]) => (
              <Group key={href} justify="space-between">
                <OuterLink href={href}>{label}</OuterLink>
                <Text c="dimmed">{note}</Text>
              </Group>
            ))}
          </Stack>
        </Panel>
        {isAdmin && <MasterKey />}
      </SimpleGrid>
    </Page>
  );
}

const LINKS = [
  ['/docs', 'API reference', 'every request, with examples'],
  ['/docs/errors', 'Errors', 'every code, its cause and its fix'],
  ['/openapi.json', 'OpenAPI', 'for generators'],
  ['/health/ready', 'Health', 'for a load balancer'],
  ['/metrics', 'Metrics', 'for Prometheus'],
] as const;

function MasterKey() {
  const rotate = async () => {
    const { Rewrapped, Remaining } = await call('POST /api/admin/keys/rotate-master', {});
    tell(`${Rewrapped} data keys are wrapped with the new key, ${Remaining} remain.`);
  };
  return (
    <Panel title="Master key">
      <Stack align="flex-start">
        <Text c="dimmed">
          It wraps the keys that encrypt the devices’ private keys. Rotating it interrupts nothing; where it comes from
          outside, put the new one in front on every instance first.
        </Text>
        <ConfirmButton label="Rotate the master key" title="Rotate the master key" doIt={rotate}>
          All data keys are wrapped with the new key. Keep the old key until nothing remains.
        </ConfirmButton>
      </Stack>
    </Panel>
  );
}
