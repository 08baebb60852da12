import { Box, Group, SegmentedControl, SimpleGrid, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useMay, usePerson } from '../api/session.ts';
import { ActionButton, ConfirmButton } from '../parts/actions.tsx';
import { OuterLink } from '../parts/links.tsx';
import { tell } from '../parts/notify.ts';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { useTimes } from '../parts/use-times.ts';
import { OwnIdentity } from '../shell/by-provider.tsx';
import { PasswordForm } from '../shell/choose-password.tsx';
import { SecondFactors } from './second-factors.tsx';

export function SettingsPage() {
  const { moment } = useTimes();
  const person = usePerson();
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
        <SecondFactors />
        <OwnIdentity />
        <Sessions />
        {person.Tenant.Kind === 'installation' && <Installation />}
        {useMay('POST /api/admin/keys/rotate-master') && <MasterKey />}
      </SimpleGrid>
    </Page>
  );
}

function Installation() {
  return (
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
  );
}

const LINKS = [
  ['/docs', 'API reference', 'every request, with examples'],
  ['/docs/errors', 'Errors', 'every code, its cause and its fix'],
  ['/openapi.json', 'OpenAPI', 'for generators'],
  ['/health/ready', 'Health', 'for a load balancer'],
  ['/metrics', 'Metrics', 'for Prometheus'],
] as const;

const sessionsQuery = { queryKey: ['sessions'], queryFn: () => call('GET /api/admin/sessions', {}) };

/** Where one is logged in, to be ended one by one. */
function Sessions() {
  const { moment } = useTimes();
  const { data } = useQuery(sessionsQuery);
  return (
    <Panel title="Where you are logged in">
      <Stack gap="xs">
        {data?.Sessions.map(({ SessionId, Browser, SeenAt, IsThis }) => (
          <Group key={SessionId} justify="space-between" wrap="nowrap">
            <Box style={{ minWidth: 0 }}>
              <Text truncate title={Browser ?? undefined}>
                {IsThis ? 'This browser' : browserName(Browser)}
              </Text>
              <Text size="xs" c="dimmed">
                last used {moment(SeenAt)}
              </Text>
            </Box>
            {!IsThis && (
              <ActionButton
                label="End"
                look={{ size: 'xs' }}
                done="The session has ended."
                of="DELETE /api/admin/sessions/:sessionId"
                given={{ params: { sessionId: SessionId } }}
              />
            )}
          </Group>
        ))}
      </Stack>
    </Panel>
  );
}

/** The word in it that people know. */
function browserName(text: string | null): string {
  return (
    /Edg|OPR|Firefox|Chrome|Safari/
      .exec(text ?? '')?.[0]
      .replace('Edg', 'Edge')
      .replace('OPR', 'Opera') ?? 'Another browser'
  );
}

function MasterKey() {
  return (
    <Panel title="Master key">
      <Stack align="flex-start">
        <Text c="dimmed">
          It wraps the keys that encrypt the devices’ private keys. Rotating it interrupts nothing; where it comes from
          outside, put the new one in front on every instance first.
        </Text>
        <ConfirmButton
          label="Rotate the master key"
          title="Rotate the master key"
          of="POST /api/admin/keys/rotate-master"
          given={{}}
          onDone={({ Rewrapped, Remaining }) =>
            tell(`${Rewrapped} data keys are wrapped with the new key, ${Remaining} remain.`)
          }
        >
          All data keys are wrapped with the new key. Keep the old key until nothing remains.
        </ConfirmButton>
      </Stack>
    </Panel>
  );
}
