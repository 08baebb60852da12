import { Code, Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Outage } from '../../../src/contract/fiscal/alert.ts';
import type { AnswerAt } from '../api/answers.ts';
import { useTaxpayerName } from '../api/choices.ts';
import { call } from '../api/client.ts';
import { live } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { ConfirmButton } from '../parts/actions.tsx';
import { StateBadge } from '../parts/badges.tsx';
import { CopyText } from '../parts/copy.tsx';
import { PageForm, useSending } from '../parts/form.tsx';
import { duration } from '../parts/format.ts';
import { DeviceLink, TaxpayerLink } from '../parts/links.tsx';
import { tell } from '../parts/notify.ts';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';

type StoppedAlert = AnswerAt<'GET /api/admin/alerts/:alertId'> & { readonly Outage: Outage };

const isOutage = (alert: AnswerAt<'GET /api/admin/alerts/:alertId'> | undefined): alert is StoppedAlert =>
  alert !== undefined && alert.Outage !== null;

/** An alert that has to be reported to the authority when it lasts. */
export function OutagePage() {
  const { alertId = '' } = useParams({ strict: false });
  const alert = useQuery(live('GET /api/admin/alerts/:alertId', { params: { alertId } }));
  const found = isOutage(alert.data) ? alert.data : undefined;
  return (
    <Page
      title={found === undefined ? 'Alert' : `Outage of device ${found.AuthorityDeviceId}`}
      back={{ to: '/alerts', label: 'Alerts' }}
      badges={found && <ReportBadge outage={found.Outage} />}
      lead={found?.Outage.Problem ?? alert.data?.Message}
      actions={found && isToAcquit(found.Outage) && <Acquit alert={found} />}
    >
      <Loaded query={alert} rows={8}>
        {(detail) =>
          isOutage(detail) && (
            <Stack gap="md">
              <Course alert={detail} />
              <Panel
                title="Report for the authority"
                aside={<CopyText value={detail.Report ?? ''} label="Copy the report" />}
              >
                <Code block className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }} data-testid="report">
                  {detail.Report?.trimEnd()}
                </Code>
              </Panel>
              <Reporting key={detail.Number} alert={detail} />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

function isToAcquit({ EndedAt, ReferenceNumber, AcquittedAt }: Outage): boolean {
  return EndedAt !== null && ReferenceNumber !== null && AcquittedAt === null;
}

function Acquit({ alert }: { readonly alert: StoppedAlert }) {
  return (
    <ConfirmButton
      label="Acquit"
      title="Acquit the outage"
      look={{ variant: 'filled' }}
      done="The outage is acquitted."
      of="PATCH /api/admin/alerts/:alertId"
      given={{ params: { alertId: alert.Number }, body: { Acquitted: true } }}
    >
      The authority has been told that device {alert.AuthorityDeviceId} works again, with the reference number{' '}
      {alert.Outage.ReferenceNumber}.
    </ConfirmButton>
  );
}

function Course({ alert }: { readonly alert: StoppedAlert }) {
  const { moment } = useTimes();
  const { Outage: outage, AuthorityDeviceId, TaxpayerId } = alert;
  const { EndedAt, ReportedAt, AcquittedAt } = outage;
  const deviceId = AuthorityDeviceId ?? 0;
  const taxpayerId = TaxpayerId ?? '';
  const name = useTaxpayerName()(taxpayerId);
  return (
    <Panel>
      <Facts
        facts={{
          Device: <DeviceLink deviceId={deviceId}>{`${deviceId}, serial number ${outage.SerialNumber}`}</DeviceLink>,
          Taxpayer: <TaxpayerLink taxpayerId={taxpayerId}>{name}</TaxpayerLink>,
          Began: moment(outage.BeganAt),
          Ended: EndedAt === null ? `not yet, ${lengthOf(outage)}` : `${moment(EndedAt)}, after ${lengthOf(outage)}`,
          'Report due': ReportedAt === null ? moment(outage.ReportDueAt) : null,
          Reported: ReportedAt && moment(ReportedAt),
          Acquitted: AcquittedAt && moment(AcquittedAt),
        }}
      />
    </Panel>
  );
}

function Reporting({ alert }: { readonly alert: StoppedAlert }) {
  const { Outage: outage } = alert;
  const sending = useSending({
    values: { SalesRecording: outage.SalesRecording ?? '', ReferenceNumber: outage.ReferenceNumber ?? '' },
    send: ({ SalesRecording, ReferenceNumber }) =>
      call('PATCH /api/admin/alerts/:alertId', {
        params: { alertId: alert.Number },
        body: { SalesRecording: SalesRecording.trim() || null, ReferenceNumber: ReferenceNumber.trim() || null },
      }),
    onSent: () => tell('Saved.'),
  });
  return (
    <PageForm sending={sending} button="Save" mayEdit={useMay('PATCH /api/admin/alerts/:alertId')}>
      <Panel title="What was reported">
        <Textarea
          label="How sales are recorded meanwhile"
          description="In the report; the usual sentence when left empty"
          autosize
          maxLength={1000}
          {...sending.field('SalesRecording')}
        />
        <TextInput
          maxLength={100}
          {...sending.field('ReferenceNumber', 'Reference number', 'The authority’s answer to the report')}
        />
      </Panel>
    </PageForm>
  );
}

function lengthOf({ BeganAt, EndedAt }: Outage): string {
  const end = EndedAt === null ? Date.now() : Date.parse(EndedAt);
  return `${duration((end - Date.parse(BeganAt)) / 1000)}${EndedAt === null ? ' so far' : ''}`;
}

const TWO_HOURS_SECONDS = 7200;

/** What the authority still has to hear. */
export function ReportBadge({ outage }: { readonly outage: Outage }) {
  const { EndedAt, ReportDueAt, ReferenceNumber, AcquittedAt } = outage;
  if (AcquittedAt !== null) return <StateBadge color="gray">Acquitted</StateBadge>;
  if (ReferenceNumber !== null && EndedAt === null) return <StateBadge color="blue">Reported</StateBadge>;
  if (ReferenceNumber !== null) return <StateBadge color="yellow">To be acquitted</StateBadge>;
  if (EndedAt !== null && EndedAt <= ReportDueAt) return <StateBadge color="gray">Not needed</StateBadge>;
  const left = (Date.parse(ReportDueAt) - Date.now()) / 1000;
  if (left <= 0) return <StateBadge color="red">Overdue</StateBadge>;
  return <StateBadge color={left <= TWO_HOURS_SECONDS ? 'red' : 'yellow'}>{`Due in ${duration(left)}`}</StateBadge>;
}
