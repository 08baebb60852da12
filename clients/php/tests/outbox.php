<?php

declare(strict_types=1);

use Tillseal\Answer;
use Tillseal\Client;
use Tillseal\Error\ConflictException;
use Tillseal\Error\InvalidRequestException;
use Tillseal\Outbox\Queued;
use Tillseal\Outbox\SetAside;
use Tillseal\Outbox\Signed;
use Tillseal\Outbox\Verdict;

return [
    'a sale is signed with exact decimals' => static function (World $world): void {
        $world->replyWith(['Body' => '{"Reference":"A-1","DeviceSignature":"x","GlobalCounter":5,"TotalAmount":9999999999999999.99}']);
        $sale = $world->outbox()->sell(receipt('A-1', 1001, ['TotalAmount' => '9999999999999999.99', 'Name' => 'Mazoe – 2 ℓ']));
        expectSame([Signed::class, 'A-1', 5, null], [$sale::class, $sale->reference, $sale->number, $sale->clockAheadSeconds]);
        expectSame('9999999999999999.99', $sale->receipt['TotalAmount']);
        [$asked] = $world->asked();
        expectSame('{"AuthorityDeviceId":1001,"Reference":"A-1","TotalAmount":"9999999999999999.99","Name":"Mazoe – 2 ℓ"}', $asked['Text']);
        expectThat(str_contains($asked['Head'], "Authorization: Bearer tsk_test\r\n"), 'the token is sent');
        expectThat(str_contains($asked['Head'], "Outbox-Backlog: waiting=1, seconds=0\r\n"), 'and what waits');
    },

    'an answer that is no text is shown as text' => static function (): void {
        $failure = Verdict::of(new Answer(502, [], "\xff" . str_repeat('é', 99)), 'A-1')->failure;
        expectThat(preg_match('/^something .*: 502 \x{fffd}é+/u', $failure) === 1, $failure);
    },

    'what was refused carries its typed problem' => static function (World $world): void {
        $world->replyWith(
            refused(400, 'InvalidRequest', [['Field' => 'Taxes[0].TaxAmount', 'Code' => 'RCPT026', 'Message' => 'must be 0.47']]),
            refused(409, 'ReferenceConflict'),
        );
        $outbox = $world->outbox();
        $problem = $outbox->sell(receipt('A-1'))->problem;
        expectThat($problem instanceof InvalidRequestException, 'the type of a 400');
        expectSame(['Taxes[0].TaxAmount', 'RCPT026', 'must be 0.47'], array_values((array) $problem->errors[0]));
        expectThat($outbox->sell(receipt('A-2'))->problem instanceof ConflictException, 'the type of a 409');
        expectSame('RCPT026', $outbox->find('A-1')->problem->errors[0]->code);
    },

    'a sale that fails is reported after five minutes and every hour, by any process' => static function (World $world): void {
        $world->replyWith(...array_fill(0, 9, refused(500, 'InternalError')));
        $world->outbox(0)->sell(receipt('A-1'));
        foreach ([0 => 0, 200 => 0, 310 => 1, 1000 => 1, 3800 => 1, 3950 => 2, 20_000 => 3, 20_100 => 3] as $later => $reports) {
            $world->secondsLater = $later;
            $world->outbox()->drain(0);
            expectSame($reports, count($world->reports), "after $later seconds");
        }
        expectSame('Stuck', $world->reports[0]);
        $failure = $world->outbox()->status()->lastFailure;
        expectThat(abs($failure->at->getTimestamp() - $failure->since->getTimestamp() - 20_100) < 60, 'since when it lasts');
    },

    'a report that fails costs nothing, and strangers are reported once' => static function (World $world): void {
        $page = ['Status' => 502, 'Body' => '<html>'];
        $world->replyWith($page, $page, refused(400));
        $kinds = [];
        $outbox = $world->client->openOutbox($world->file, FAR, static function (object $report) use (&$kinds): void {
            $kinds[] = $report->kind;
            throw new LogicException('no printer');
        });
        $log = ini_set('error_log', "$world->folder/log");
        expectSame(SetAside::class, $outbox->sell(receipt('A-1'))::class);
        expectSame(['Stranger', 'SetAside'], $kinds);
        $world->replyWith($page);
        $outbox->sell(receipt('A-2', 2)); // Another device.
        ini_set('error_log', (string) $log);
        expectSame(['Stranger', 'SetAside', 'Stranger'], $kinds);
        expectThat(str_contains((string) file_get_contents("$world->folder/log"), 'SetAside: A-1 is set aside: 400'), 'it is in the log');
    },

    'the deadline holds though the answer comes byte by byte' => static function (World $world): void {
        $world->replyWith(['Trickle' => true, 'Body' => str_repeat('x', 2000)]);
        $started = microtime(true);
        expectSame(Queued::class, $world->outbox(0.5)->sell(receipt('A-1'))::class);
        // Without a deadline an attempt takes 30 seconds.
        expectThat(microtime(true) - $started < 20, 'in time');
    },

    'nothing is lost when nobody listens' => static function (World $world): void {
        $outbox = (new Client('http://127.0.0.1:1', ''))->openOutbox($world->file, 0.2);
        expectThat(str_contains($outbox->sell(receipt('A-1'))->lastFailure->message, '127.0.0.1'), 'why');
        expectThat(abs($outbox->status()->oldest->getTimestamp() - time()) < 60, 'when it was sold');
    },

    'a sale needs a reference, a device and exact amounts' => static function (World $world): void {
        $outbox = $world->outbox();
        foreach ([['Reference' => 'A-1'], receipt(''), receipt('A-1', 1001, ['ReceiptLines' => [['LineTotal' => 1.1]]])] as $wrong) {
            expectThrown(InvalidArgumentException::class, static fn () => $outbox->sell($wrong));
        }
        expectSame(0, $outbox->status()->queued);
    },

    'a sale that another process is sending is awaited, not sent twice' => static function (World $world): void {
        $world->replyWith(['Delay' => 1, 'Body' => ['Reference' => 'P-1', 'DeviceSignature' => 'x', 'GlobalCounter' => 5]]);
        $world->start($world->till('P'));
        $until = microtime(true) + FAR;
        while ($world->asked() === [] && microtime(true) < $until) {
            usleep(1000);
        }
        $receipt = json_decode($world->asked()[0]['Text'], true);
        expectSame(5, $world->outbox()->sell($receipt)->number);
        expectSame(1, count($world->asked()));
    },

    'tills on one file, killed at any moment, have every sale sealed once and in order' => static function (World $world): void {
        $world->replyWith(...array_fill(0, 4, ['IsLost' => true]));
        $names = ['P', 'Q', 'R', 'S'];
        $tills = array_combine($names, array_map(static fn (string $name) => $world->start($world->till($name, 12))[0], $names));
        $kills = 0;
        while ($tills !== []) {
            // On a fast machine all would be sold before the time has come.
            [$asked, $until] = [count($world->asked()) + random_int(2, 6), microtime(true) + random_int(150, 400) / 1000];
            do {
                usleep(1000);
            } while (microtime(true) < $until && count($world->asked()) < $asked);
            foreach ($tills as $name => $till) {
                // Asked once: before PHP 8.3 only the first answer after the end has the exit code.
                ['running' => $isRunning, 'exitcode' => $exitCode, 'pid' => $id] = proc_get_status($till);
                if ($isRunning && $kills < 8 && $name === $names[$kills % 4]) {
                    posix_kill($id, 9);
                    $kills++;
                } elseif (!$isRunning && $exitCode === 0) {
                    unset($tills[$name]);
                } elseif (!$isRunning) {
                    [$tills[$name]] = $world->start($world->till($name, 12));
                }
            }
        }
        expectThat($kills >= 4, "killed $kills times");
        expectSame(0, $world->outbox()->drain()->status->queued);
        $sealedOnce = array_values(array_unique($world->references()));
        foreach ($names as $name) {
            $own = array_values(array_filter($sealedOnce, static fn (string $one) => $one[0] === $name));
            expectSame(array_map(static fn (int $number) => "$name-$number", range(1, 12)), $own);
        }
    },
];
