import type { AnswerAt } from '../api/answers.ts';
import { useList, useTaxpayerName } from '../api/queries.ts';
import { StateBadge } from '../parts/badges.tsx';
import { PagedTable, WithNote } from '../parts/data-table.tsx';
import { duration } from '../parts/format.ts';
import { TextLink } from '../parts/links.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { NothingFound } from '../parts/search-form.tsx';
import { useFilter } from '../parts/use-filter.ts';
import { useTimes } from '../parts/use-times.ts';

export type OutageInList = AnswerAt<'GET /api/admin/outages'>['Outages'][number];

export function OutagesPage() {
  const { moment } = useTimes();
  const nameOf = useTaxpayerName();
  const { AuthorityDeviceId } = useFilter<{ AuthorityDeviceId?: string }>('/outages').filter;
  const query = AuthorityDeviceId === undefined ? {} : { AuthorityDeviceId: Number(AuthorityDeviceId) };
  const outages = useList(['live', 'outages'], 'GET /api/admin/outages', 'Outages', { query });
  return (
    <Page
      title="Outages"
      lead="When devices could not seal. After eight hours the law wants a report."
      actions={AuthorityDeviceId && <TextLink to="/outages">Show those of all devices</TextLink>}
    >
      <Panel flush>
        <PagedTable
          pages={outages}
          empty={
            <NothingFound icon="outage" search={{ AuthorityDeviceId }} to="/outages" title="No outage yet">
              A device that cannot seal outside its maintenance window is listed here, with the text of the report.
            </NothingFound>
          }
          keyOf={(outage) => outage.Number}
          isDimmed={({ IsOpen }) => !IsOpen}
          columns={[
            {
              name: 'Outage',
              cell: (outage) => (
                <WithNote note={nameOf(outage.TaxpayerId)}>
                  <TextLink to="/outages/$outageId" params={{ outageId: outage.Number }}>
                    Device {outage.AuthorityDeviceId}
                  </TextLink>
                </WithNote>
              ),
            },
            { name: 'What is wrong', cell: ({ Problem }) => Problem, isText: true },
            { name: 'Since', cell: (outage) => <WithNote note={lengthOf(outage)}>{moment(outage.BeganAt)}</WithNote> },
            { name: 'Report', cell: (outage) => <ReportBadge outage={outage} /> },
          ]}
        />
      </Panel>
    </Page>
  );
}

export function lengthOf({ BeganAt, EndedAt }: OutageInList): string {
  const end = EndedAt === null ? Date.now() : Date.parse(EndedAt);
  return `${duration((end - Date.parse(BeganAt)) / 1000)}${EndedAt === null ? ' so far' : ''}`;
}

const TWO_HOURS_SECONDS = 7200;

/** What the authority still has to hear. */
export function ReportBadge({ outage }: { readonly outage: OutageInList }) {
  const { EndedAt, ReportDueAt, ReferenceNumber, AcquittedAt } = outage;
  if (AcquittedAt !== null) return <StateBadge color="gray">Acquitted</StateBadge>;
  if (ReferenceNumber !== null && EndedAt === null) return <StateBadge color="blue">Reported</StateBadge>;
  if (ReferenceNumber !== null) return <StateBadge color="yellow">To be acquitted</StateBadge>;
  if (EndedAt !== null && EndedAt <= ReportDueAt) return <StateBadge color="gray">Not needed</StateBadge>;
  const left = (Date.parse(ReportDueAt) - Date.now()) / 1000;
  if (left <= 0) return <StateBadge color="red">Overdue</StateBadge>;
  return <StateBadge color={left <= TWO_HOURS_SECONDS ? 'red' : 'yellow'}>{`Due in ${duration(left)}`}</StateBadge>;
}
