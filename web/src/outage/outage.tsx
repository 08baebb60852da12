import { Code, Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { OutageChange } from '../../../src/contract/fiscal/outage.ts';
import type { AnswerAt } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { live, useTaxpayerName } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { ConfirmButton } from '../parts/actions.tsx';
import { CopyText } from '../parts/copy.tsx';
import { PageForm, useSending } from '../parts/form.tsx';
import { DeviceLink, TaxpayerLink } from '../parts/links.tsx';
import { tell } from '../parts/notify.ts';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { lengthOf, ReportBadge } from './outages.tsx';

type Outage = AnswerAt<'GET /api/admin/outages/:outageId'>;

const change = ({ Number: outageId }: Outage, body: OutageChange) =>
  call('PATCH /api/admin/outages/:outageId', { params: { outageId }, body });

export function OutagePage() {
  const { outageId = '' } = useParams({ strict: false });
  const outage = useQuery(live('GET /api/admin/outages/:outageId', { params: { outageId } }));
  const found = outage.data;
  const mayAct = useMay('operator');
  return (
    <Page
      title={found === undefined ? 'Outage' : `Outage of device ${found.AuthorityDeviceId}`}
      back={{ to: '/outages', label: 'Outages' }}
      badges={found && <ReportBadge outage={found} />}
      lead={found?.Problem}
      actions={mayAct && found?.IsOpen && found.EndedAt !== null && <Acquit outage={found} />}
    >
      <Loaded query={outage} rows={8}>
        {(detail) => (
          <Stack gap="md">
            <Course outage={detail} />
            <Panel title="Report for the authority" aside={<CopyText value={detail.Report} label="Copy the report" />}>
              <Code block className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }} data-testid="report">
                {detail.Report.trimEnd()}
              </Code>
            </Panel>
            <Reporting key={detail.Number} outage={detail} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Acquit({ outage }: { readonly outage: Outage }) {
  return (
    <ConfirmButton
      label="Acquit"
      title="Acquit the outage"
      look={{ variant: 'filled' }}
      done="The outage is acquitted."
      doIt={() => change(outage, { Acquitted: true })}
    >
      The authority has been told that device {outage.AuthorityDeviceId} works again, with the reference number{' '}
      {outage.ReferenceNumber}.
    </ConfirmButton>
  );
}

function Course({ outage }: { readonly outage: Outage }) {
  const { moment } = useTimes();
  const { AuthorityDeviceId: deviceId, TaxpayerId, EndedAt, ReportedAt, AcquittedAt } = outage;
  const name = useTaxpayerName()(TaxpayerId);
  return (
    <Panel>
      <Facts
        facts={{
          Device: <DeviceLink deviceId={deviceId}>{`${deviceId}, serial number ${outage.SerialNumber}`}</DeviceLink>,
          Taxpayer: <TaxpayerLink taxpayerId={TaxpayerId}>{name}</TaxpayerLink>,
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

function Reporting({ outage }: { readonly outage: Outage }) {
  const sending = useSending({
    values: { SalesRecording: outage.SalesRecording ?? '', ReferenceNumber: outage.ReferenceNumber ?? '' },
    send: ({ SalesRecording, ReferenceNumber }) =>
      change(outage, {
        SalesRecording: SalesRecording.trim() || null,
        ReferenceNumber: ReferenceNumber.trim() || null,
      }),
    onSent: () => tell('Saved.'),
  });
  return (
    <PageForm sending={sending} button="Save" mayEdit={useMay('operator')}>
      <Panel title="What was reported">
        <Textarea
          label="How sales are recorded meanwhile"
          description="In the report; the usual sentence when left empty"
          autosize
          maxLength={1000}
          {...sending.field('SalesRecording')}
        />
        <TextInput
          label="Reference number"
          description="The authority’s answer to the report"
          maxLength={100}
          {...sending.field('ReferenceNumber')}
        />
      </Panel>
    </PageForm>
  );
}
