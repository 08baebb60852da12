import { Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Device } from '../api/answers.ts';
import { ConfirmButton } from '../parts/actions.tsx';
import { TextLink } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';
import { useTimes } from '../parts/use-times.ts';

/** Closing by hand stops a shop: says until when, offers not to, and asks again where it is certain to fail. */
export function CloseDay({ device }: { readonly device: Device }) {
  const { FiscalDay: day, AuthorityDeviceId, NextMaintenanceWindow, Submission } = device;
  const { moment } = useTimes();
  const [isThenOpened, setThenOpened] = useState(false);
  const [isSure, setSure] = useState(false);
  const isRed = day.RedReceipts.length > 0;
  return (
    <ConfirmButton
      label="Close the day"
      title="Close the day"
      done={isThenOpened ? 'The day is being closed; the next one opens right after.' : 'The day is being closed.'}
      of="POST /api/admin/devices/:authorityDeviceId/day"
      given={{
        params: { authorityDeviceId: AuthorityDeviceId },
        body: { Action: 'close', ThenOpen: isThenOpened },
      }}
      onDone={() => setSure(false)}
      isReady={!isRed || isSure}
      danger={isRed}
    >
      {isRed ? (
        <RedWarning references={day.RedReceipts} isSure={isSure} onSure={setSure} />
      ) : (
        <Stack gap="sm">
          <Text>
            {Submission.IsStopped
              ? `This device is stopped: day ${day.Number} stays open until an operator has decided about the refused receipt, and is closed then.`
              : `Everything that waits is submitted first, then day ${day.Number} is closed with its counters.`}
          </Text>
          <Text>
            {isThenOpened ? (
              'Nothing is sealed on this device until the next day is open, usually a few seconds later.'
            ) : (
              <>
                Nothing is sealed on this device until <b>{moment(NextMaintenanceWindow.End)}</b>, the end of its next
                maintenance window, unless an operator opens the day earlier.
              </>
            )}
          </Text>
          <Checkbox
            label="Open the next day immediately"
            checked={isThenOpened}
            onChange={(event) => setThenOpened(event.currentTarget.checked)}
          />
        </Stack>
      )}
    </ConfirmButton>
  );
}

function RedWarning(props: {
  readonly references: readonly string[];
  readonly isSure: boolean;
  readonly onSure: (isSure: boolean) => void;
}) {
  return (
    <Notice
      color="red"
      title="This closing is certain to fail"
      actions={
        <Checkbox
          label="Try it nevertheless"
          checked={props.isSure}
          onChange={(event) => props.onSure(event.currentTarget.checked)}
        />
      }
    >
      <WhyRed references={props.references} />
    </Notice>
  );
}

function WhyRed({ references }: { readonly references: readonly string[] }) {
  return (
    <>
      The authority marked{' '}
      {references.map((reference, index) => (
        <span key={reference}>
          {index > 0 && ', '}
          <TextLink to="/receipts" search={{ Reference: reference }}>
            {reference}
          </TextLink>
        </span>
      ))}{' '}
      red, and closes no day with a red receipt. Ask the authority to close it by hand; selling continues until then.
    </>
  );
}

/** Before anybody tries to close it. */
export function RedBanner({ device: { FiscalDay: day } }: { readonly device: Device }) {
  if (day.RedReceipts.length === 0) return null;
  return (
    <Notice color="red" title={`Closing day ${day.Number} will fail`}>
      <WhyRed references={day.RedReceipts} />
    </Notice>
  );
}
