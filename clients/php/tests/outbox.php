<?php

declare(strict_types=1);

use Tillseal\Client;
use Tillseal\Error\Conflict;
use Tillseal\Error\InvalidRequest;
use Tillseal\Error\OutboxError;
use Tillseal\Outbox;
use Tillseal\Outbox\Halted;
use Tillseal\Outbox\Journal;
use Tillseal\Outbox\Parked;
use Tillseal\Outbox\Queued;
use Tillseal\Outbox\Refused;
use Tillseal\Outbox\Signed;

return [
    'a sale is signed with exact decimals' => static function (World $world): void {
        $world->replyWith(['Body' => '{"Reference":"A-1","DeviceSignature":"x","TotalAmount":9999999999999999.99}']);
        $outcome = $world->outbox()->sell(receipt('A-1', 1001, ['TotalAmount' => '9999999999999999.99', 'Name' => 'Mazoe – 2 ℓ']));
        expectSame(Signed::class, $outcome::class);
        expectSame('9999999999999999.99', $outcome->receipt['TotalAmount']);
        [$asked] = $world->asked();
        expectSame('{"AuthorityDeviceId":1001,"Reference":"A-1","TotalAmount":"9999999999999999.99","Name":"Mazoe – 2 ℓ"}', $asked['Text']);
        expectThat(str_contains($asked['Head'], "Authorization: Bearer tsk_test\r\n"), 'the token is sent');
    },

    'every answer does what the table says' => static function (World $world): void {
        foreach ([
            ['parked', refused(400)],
            ['parked', refused(409, 'ReferenceConflict')],
            ['parked', refused(413, 'BodyTooLarge')],
            ['parked', ['Status' => 413, 'Body' => '<html>nginx</html>']],
            ['parked', refused(415)],
            ['halted', refused(401, 'Unauthorized')],
            ['halted', refused(403, 'Forbidden')],
            ['open', refused(400, 'InvalidRequest', [['Field' => 'Date', 'Code' => 'RCPT031', 'Message' => 'ahead']])],
            ['open', ['Body' => '<html>Please log in</html>', 'Headers' => ['Content-Type' => 'text/html']]],
            ['open', ['Body' => ['Reference' => 'of another', 'DeviceSignature' => 'x']]],
            ['open', ['Body' => '{"Reference":']],
            ['open', ['Body' => '{"Reference":"A', 'Headers' => ['Content-Length' => '1000']]],
            ['open', ['Status' => 403, 'Body' => '<html>Forbidden</html>']],
            ['open', ['Status' => 400, 'Body' => 'bad request']],
            ['open', ['Status' => 302, 'Headers' => ['Location' => 'http://127.0.0.1:1/']]],
            ['open', refused(404, 'NotFound')],
            ['open', refused(429, 'DeviceBusy')],
            ['open', refused(500, 'InternalError')],
            ['open', refused(503, 'MaintenanceWindow')],
            ['open', ['IsLost' => true]],
        ] as $number => [$expected, $reply]) {
            $what = json_encode($reply);
            // The device would have to wait longer than the deadline, so what is not settled is queued at once.
            $reply['Headers'] = ['Retry-After' => '600'] + ($reply['Headers'] ?? []);
            $world->replyWith($reply);
            $reports = [];
            $report = static function (object $event) use (&$reports): void {
                $reports[] = $event::class;
            };
            $isWhole = !isset($reply['IsLost']) && !isset($reply['Headers']['Content-Length']);
            $outbox = new Outbox("$world->folder/$number.journal", $world->client, $isWhole ? FAR : 0.9, $report);
            $outcome = $outbox->sell(receipt("A-$number"));
            $status = $outbox->status();
            expectSame($expected === 'parked' ? Refused::class : Queued::class, $outcome::class, $what);
            expectSame($expected === 'parked' ? 1 : 0, count($status->parked), $what);
            expectSame($expected === 'halted', $status->halted !== null, $what);
            expectSame($expected === 'parked' ? 0 : 1, $status->open, $what);
            expectSame(['parked' => [Parked::class], 'halted' => [Halted::class], 'open' => []][$expected], $reports, $what);
        }
    },

    'a refusal carries its typed problem' => static function (World $world): void {
        $world->replyWith(
            refused(400, 'InvalidRequest', [['Field' => 'Taxes[0].TaxAmount', 'Code' => 'RCPT026', 'Message' => 'must be 0.47']]),
            refused(409, 'ReferenceConflict'),
        );
        $outbox = $world->outbox();
        $problem = $outbox->sell(receipt('A-1'))->problem;
        expectThat($problem instanceof InvalidRequest, 'the type of a 400');
        expectSame(['Taxes[0].TaxAmount', 'RCPT026', 'must be 0.47'], array_values((array) $problem->errors[0]));
        expectThat($outbox->sell(receipt('A-2'))->problem instanceof Conflict, 'the type of a 409');
    },

    'a lost answer is settled by the same request, which is late' => static function (World $world): void {
        $world->replyWith(['IsLost' => true]);
        expectSame(Signed::class, $world->outbox()->sell(receipt('A-1', 1001, ['TotalAmount' => '1.50']))::class);
        [$first, $second] = $world->asked();
        expectSame($first['Text'], $second['Text']);
        expectSame([false, true], [$first['IsLate'], $second['IsLate']]);
    },

    'Retry-After is obeyed, and a new process tries at once' => static function (World $world): void {
        $world->replyWith(refused(503, 'FiscalDayNotOpen', headers: ['Retry-After' => '3600']));
        $outbox = $world->outbox();
        $started = microtime(true);
        expectSame(Queued::class, $outbox->sell(receipt('A-1'))::class);
        expectSame(Queued::class, $outbox->sell(receipt('A-2'))::class);
        $outbox->drain();
        expectThat(microtime(true) - $started < FAR, 'nobody waits for what will not come in time');
        expectSame(1, count($world->asked()));
        expectSame(0, $world->outbox()->drain()->open);
        expectSame(['A-1', 'A-1', 'A-2'], $world->references());
        expectSame([false, true, true], array_column($world->asked(), 'IsLate'));
    },

    'a device that has to wait holds up only itself and keeps its order' => static function (World $world): void {
        $outbox = $world->outbox(0);
        foreach (range(0, 2) as $number) {
            foreach ([1, 2] as $device) {
                expectSame(Queued::class, $outbox->sell(receipt("$device-$number", $device))::class);
            }
        }
        $world->replyWith(refused(429, 'DeviceBusy', headers: ['Retry-After' => '600']));
        expectSame(3, $outbox->drain()->open);
        expectSame(['1-0', '2-0', '2-1', '2-2'], $world->references());
        expectSame(0, $world->outbox()->drain()->open);
        expectSame(['1-0', '1-1', '1-2'], array_slice($world->references(), 4));
    },

    'a parked sale lets the next pass and can be retried or discarded' => static function (World $world): void {
        $world->replyWith(refused(400), refused(400));
        $outbox = $world->outbox();
        expectSame(Refused::class, $outbox->sell(receipt('A-1', 1001, ['Cashier' => 'x']))::class);
        expectSame(Refused::class, $outbox->sell(receipt('A-1', 1001, ['Cashier' => 'x']))::class); // The same sale; not sent again.
        expectSame(Refused::class, $outbox->sell(receipt('A-2'))::class);
        expectSame(Signed::class, $outbox->sell(receipt('A-3'))::class);
        expectThrown(OutboxError::class, static fn () => $outbox->retry('A-3'), 'A-3 is not parked');
        $outbox->retry('A-2');
        expectSame(['A-1'], array_map(static fn (Parked $one) => $one->reference, $outbox->drain()->parked));
        $corrected = receipt('A-1', 1001, ['Cashier' => 'y']);
        expectThrown(OutboxError::class, static fn () => $outbox->sell($corrected), 'other content');
        $outbox->discard('A-1');
        expectSame(Signed::class, $outbox->sell($corrected)::class);
        expectSame(['A-1', 'A-2', 'A-3', 'A-2', 'A-1'], $world->references());
    },

    'a refused token halts everything until it is resumed' => static function (World $world): void {
        $world->replyWith(refused(401, 'Unauthorized'));
        $outbox = $world->outbox();
        $started = microtime(true);
        expectSame(Queued::class, $outbox->sell(receipt('A-1'))::class);
        expectSame(Queued::class, $world->outbox()->sell(receipt('A-2', 2))::class);
        expectThat(microtime(true) - $started < FAR, 'nobody waits');
        expectSame('Unauthorized', $outbox->drain()->halted->problem->problemCode);
        expectSame(1, count($world->asked()));
        $outbox->resume();
        $status = $outbox->drain();
        expectSame([0, null], [$status->open, $status->halted]);
    },

    'the deadline holds though the answer comes byte by byte' => static function (World $world): void {
        $world->replyWith(['Trickle' => true, 'Body' => str_repeat('x', 2000)]);
        $started = microtime(true);
        expectSame(Queued::class, $world->outbox(0.5)->sell(receipt('A-1'))::class);
        // Without a deadline an attempt takes 30 seconds.
        expectThat(microtime(true) - $started < 20, 'in time');
    },

    'nothing is lost when nobody listens' => static function (World $world): void {
        $outbox = new Outbox($world->journal, new Client('http://127.0.0.1:1', ''), 0.2);
        expectSame(Queued::class, $outbox->sell(receipt('A-1'))::class);
        expectSame(1, $outbox->status()->open);
        expectSame(1, preg_match('/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/', (string) $outbox->status()->oldest));
    },

    'a sale needs a reference, a device and exact amounts' => static function (World $world): void {
        $outbox = $world->outbox();
        foreach ([['Reference' => 'A-1'], receipt('A-1', 1001, ['ReceiptLines' => [['LineTotal' => 1.1]]])] as $wrong) {
            expectThrown(InvalidArgumentException::class, static fn () => $outbox->sell($wrong));
        }
        expectSame(0, $outbox->status()->open);
    },

    'a sale is answered from what another process drained' => static function (World $world): void {
        [, $pipes] = $world->child(
            '$held = $journal->drainLock->take(); echo "taken\n"; do { usleep(10000); $journal->refresh(); } while ($journal->sales === []);'
            . '$journal->append(fn () => ["Kind" => "Signed", "Reference" => "A-1",'
            . '"Answer" => "{\"Reference\":\"A-1\",\"GlobalCounter\":5}"]); fgets(STDIN); $held->release();',
        );
        fgets($pipes[1]);
        expectSame(5, $world->outbox()->sell(receipt('A-1'))->receipt['GlobalCounter']);
        expectSame([], $world->asked());
    },

    'a sale that had to wait is late, and so are those behind it' => static function (World $world): void {
        $outbox = $world->outbox(0);
        $outbox->sell(receipt('A-1'));
        expectSame(Signed::class, $outbox->sell(receipt('A-2'), FAR)::class);
        expectSame(Signed::class, $outbox->sell(receipt('A-3'), FAR)::class);
        $outbox->sell(receipt('A-4'));
        $outbox->drain();
        expectSame([true, true, false, true], array_column($world->asked(), 'IsLate'));
    },

    'a drainer that lost its lock sends nothing more' => static function (World $world): void {
        $lock = (new Journal($world->journal))->drainLock;
        $steal = static fn () => file_put_contents($lock->path($lock->highest() + 1), '{"Pid":1,"Start":"","Init":""}');
        $outbox = new Outbox($world->journal, $world->client, 0, $steal);
        $outbox->sell(receipt('A-1', 1));
        $outbox->sell(receipt('A-2', 2));
        $world->replyWith(refused(400));
        expectSame(1, $outbox->drain()->open);
        expectSame(['A-1'], $world->references());
    },

    'tills killed at any moment have every sale sealed once and in order' => static function (World $world): void {
        $world->replyWith(...array_fill(0, 4, ['IsLost' => true]));
        $words = [PHP_BINARY, __DIR__ . '/../till.php', 'sell', '--url', $world->url, '--token', 't', '--journal', $world->journal];
        array_push($words, '--device', '1', '--sales', '25', '--prefix');
        $tills = array_map(static fn (string $name) => $world->start([...$words, $name])[0], ['P' => 'P', 'Q' => 'Q']);
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
                if ($isRunning && $kills < 6 && $name === 'PQ'[$kills % 2]) {
                    posix_kill($id, 9);
                    $kills++;
                } elseif (!$isRunning && $exitCode === 0) {
                    unset($tills[$name]);
                } elseif (!$isRunning) {
                    [$tills[$name]] = $world->start([...$words, $name]);
                }
            }
        }
        expectThat($kills >= 2, "killed $kills times");
        expectSame(0, $world->outbox()->drain()->open);
        $sealedOnce = array_values(array_unique($world->references()));
        foreach (['P', 'Q'] as $name) {
            $own = array_values(array_filter($sealedOnce, static fn (string $one) => $one[0] === $name));
            expectSame(array_map(static fn (int $number) => "$name-$number", range(1, 25)), $own);
        }
    },
];
