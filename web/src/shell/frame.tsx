import {
  AppShell,
  Badge,
  Box,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Stack,
  Text,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { TENANT_FIELDS } from '../../../src/contract/shared/values.ts';
import { buildWords } from '../../../src/kernel/build-words.ts';
import type { Address } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { may, type SessionPerson, usePerson } from '../api/session.ts';
import { Icon, type IconName, Seal } from '../parts/icons.tsx';
import { Link } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';
import { ActingFor, PlaceNotice } from './acting-for.tsx';
import { useLive } from './live.tsx';
import { useSignOut } from './sign-out.tsx';

/** A page with its place in the navigation. */
export interface Section {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  readonly of: Address | undefined;
}

export interface SectionGroup {
  readonly title: string;
  readonly sections: readonly Section[];
}

/** Nothing of what somebody may not see; a page of one thing leads to their own. */
function offered(section: Section, person: SessionPerson): Section[] {
  if (!may(person, section.of)) return [];
  if (!section.to.includes('$')) return [section];
  const { Kind, Id } = person.Tenant;
  const own = `$${TENANT_FIELDS[Kind]?.replace(/^./, (letter) => letter.toLowerCase())}`;
  return section.to.endsWith(own) ? [{ ...section, to: section.to.replace(own, Id ?? '') }] : [];
}

/** Navigation at the side, the page beside it; on a phone the navigation comes when it is called. */
export function Frame({ groups }: { readonly groups: readonly SectionGroup[] }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const person = usePerson();
  const shown = groups
    .map(({ title, sections }) => ({ title, sections: sections.flatMap((section) => offered(section, person)) }))
    .filter(({ sections }) => sections.length > 0);
  return (
    <AppShell
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      header={{ height: { base: 52, sm: 0 } }}
      padding={0}
    >
      <a className="skip-link" href="#page">
        Skip to the page
      </a>
      <AppShell.Header hiddenFrom="sm">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Brand />
          <ActingFor size="xs" ml="auto" miw={0} />
          <Burger
            opened={isOpen}
            onClick={toggle}
            size="sm"
            aria-label={isOpen ? 'Close navigation' : 'Open navigation'}
          />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Console">
        <Box visibleFrom="sm" px={6} pt={6} pb="md">
          <Brand />
          <ActingFor fullWidth size="xs" mt="sm" />
        </Box>
        <ScrollArea style={{ flex: 1 }}>
          <Stack gap="md">
            {shown.map((group) => (
              <Group key={group.title} gap={2} style={{ flexDirection: 'column', alignItems: 'stretch' }}>
                {group.title !== '' && (
                  <Text size="xs" fw={600} c="dimmed" px={10} pb={2}>
                    {group.title}
                  </Text>
                )}
                {group.sections.map((section) => (
                  <SectionLink key={section.to} section={section} pathname={pathname} onGo={close} />
                ))}
              </Group>
            ))}
          </Stack>
        </ScrollArea>
        <Person />
        <Version />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <Box maw={1240} mx="auto" px={{ base: 'sm', sm: 'xl' }} py={{ base: 'md', sm: 'xl' }}>
          <PlaceNotice />
          <DatabaseNotice />
          <Outlet />
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}

/** What is shown may not be what will be kept. */
function DatabaseNotice() {
  const database = useLive().overview?.Database;
  if (database?.State !== 'Waiting') return null;
  return (
    <Box mb="md">
      <Notice color="red" title="The database waits for its standby" role="alert">
        No commit has been confirmed for {database.CommitWaitSeconds} seconds: tills are told to send again, and what
        you see here is not certain to be kept. Bring the standby back, or remove its name from
        synchronous_standby_names.
      </Notice>
    </Box>
  );
}

function Brand() {
  const { isConnected } = useLive();
  return (
    <Group gap={10} wrap="nowrap">
      <Seal size={26} />
      <Text fw={700} fz="lg" lh={1}>
        Tillseal
      </Text>
      <Badge
        variant="dot"
        color={isConnected ? 'seal' : 'gray'}
        size="sm"
        tt="none"
        title={isConnected ? 'Everything here is live' : 'The connection is lost; it reconnects automatically'}
      >
        {isConnected ? 'Live' : 'Offline'}
      </Badge>
    </Group>
  );
}

const versionQuery = {
  queryKey: ['version'],
  queryFn: () => call('GET /version', {}),
  staleTime: Number.POSITIVE_INFINITY,
};

/** For the person who reports a problem. */
function Version() {
  const { data } = useQuery(versionQuery);
  return (
    <Text size="xs" c="dimmed" px={8} component="footer">
      {data === undefined ? '\u00a0' : `Tillseal ${buildWords(data)}`}
    </Text>
  );
}

function SectionLink(props: { readonly section: Section; readonly pathname: string; readonly onGo: () => void }) {
  const { section, pathname } = props;
  const { overview } = useLive();
  const isHere = section.to === '/' ? pathname === '/' : pathname.startsWith(section.to);
  const alerts = section.to === '/alerts' ? (overview?.Alerts.Unacknowledged ?? 0) : 0;
  return (
    <NavLink
      component={Link}
      to={section.to}
      onClick={props.onGo}
      label={section.label}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      leftSection={<Icon name={section.icon} />}
      rightSection={
        alerts > 0 ? (
          <Badge color="red" size="sm" circle aria-label={`${alerts} open`}>
            {alerts}
          </Badge>
        ) : undefined
      }
      style={{ borderRadius: 'var(--mantine-radius-md)' }}
      px={10}
    />
  );
}

function Person() {
  const person = usePerson();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  const signOut = useSignOut();
  return (
    <Menu position="top-start" width={212} withinPortal>
      <Menu.Target>
        <UnstyledButton p={8} style={{ borderRadius: 'var(--mantine-radius-md)' }}>
          <Group gap={10} wrap="nowrap">
            <Text c="dimmed" lh={0} component="span">
              <Icon name="operator" size={22} />
            </Text>
            <Box style={{ minWidth: 0 }}>
              <Text fw={600} truncate>
                {person.Name}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {person.Role} · {person.Email}
              </Text>
            </Box>
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Icon name={isDark ? 'sun' : 'moon'} size={16} />}
          onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
        >
          {isDark ? 'Light theme' : 'Dark theme'}
        </Menu.Item>
        <Menu.Item component={Link} to="/settings" leftSection={<Icon name="settings" size={16} />}>
          Your account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut(false)}>Sign out</Menu.Item>
        <Menu.Item onClick={() => void signOut(true)}>Sign out everywhere</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
