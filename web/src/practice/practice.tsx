import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { live } from '../api/queries.ts';
import { List } from '../parts/list.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Page } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { PeopleList } from '../people/people-list.tsx';
import { ActAs } from '../shell/acting-for.tsx';
import { OnboardTaxpayers } from '../taxpayer/onboarding.tsx';
import { clientsOf, GiveMandate } from '../taxpayer/taxpayers.tsx';

export function PracticePage() {
  const { dateOnly } = useTimes();
  const { practiceId = '' } = useParams({ strict: false });
  const practices = useQuery(live('GET /api/admin/practices', { query: { Limit: 200 } }));
  const found = practices.data?.Practices.find(({ PracticeId }) => PracticeId === practiceId);
  return (
    <Page
      title={found?.Name ?? 'Practice'}
      back={{ to: '/practices', label: 'Practices' }}
      lead={found && `Added ${dateOnly(found.CreatedAt)}`}
      actions={<ActAs kind="practice" id={practiceId} />}
    >
      <Loaded query={practices} rows={8}>
        {() => (
          <PageTabs
            tabs={[
              {
                name: 'Taxpayers',
                content: (
                  <List
                    {...clientsOf(practiceId)}
                    title="Taxpayers"
                    aside={
                      <Group gap="sm">
                        <GiveMandate practiceId={practiceId} />
                        <OnboardTaxpayers practiceId={practiceId} />
                      </Group>
                    }
                  />
                ),
              },
              {
                name: 'People',
                of: 'GET /api/admin/people',
                content: <PeopleList owner={{ PracticeId: practiceId }} title="People" />,
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}
