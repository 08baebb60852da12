<?php

declare(strict_types=1);

use Tillseal\Error\JournalDamaged;
use Tillseal\Error\OutboxError;
use Tillseal\Outbox\Journal;
use Tillseal\Outbox\Processes;

const HEADER = '{"Kind":"Outbox","Version":1,"Id":"0123456789abcdef"}';
const SALE = '{"Kind":"Sale","At":"2026-11-16T09:30:00Z","Reference":"A-1","AuthorityDeviceId":1001,"Body":"{}"}';

return [
    'the file is as documented and only for its owner' => static function (World $world): void {
        (new Journal($world->journal))->append(static fn () => json_decode(SALE, true));
        [$header, $rest] = explode("\n", $world->content(), 2);
        expectSame(1, preg_match('/^[0-9a-f]{8} {"Kind":"Outbox","Version":1,"Id":"[0-9a-f]{16}"}$/', $header));
        expectSame(line(substr($header, 9)), "$header\n");
        expectSame(line(SALE), $rest);
        expectSame(0600, fileperms($world->journal) & 0777);
    },

    'a torn last line is ignored and cut by the next append' => static function (World $world): void {
        $whole = line(HEADER) . line(SALE);
        $other = str_replace('A-1', 'A-2', line(SALE));
        foreach ([substr($other, 0, -1), substr($other, 0, 20), str_repeat("\0", 40), $other] as $torn) {
            file_put_contents($world->journal, $whole . $torn);
            expectSame(['A-1'], salesOf($world->journal));
            expectSame($whole . $torn, $world->content());
            (new Journal($world->journal))->append(static fn () => sale('A-3'));
            expectSame(['A-1', 'A-3'], salesOf($world->journal));
            expectThat(str_starts_with($world->content(), $whole), 'the good lines stay');
        }
    },

    'a wrong line in the middle stops everything and changes nothing' => static function (World $world): void {
        $damaged = line(HEADER) . str_replace('A-1', 'A-X', line(SALE)) . line(SALE);
        file_put_contents($world->journal, $damaged);
        expectThrown(JournalDamaged::class, $world->outbox(...), 'line 2');
        expectThrown(JournalDamaged::class, static fn () => (new Journal($world->journal))->append(static fn () => sale('A-3')));
        expectSame($damaged, $world->content());
    },

    'what is no journal of this version is left alone' => static function (World $world): void {
        $later = line('{"Kind":"Outbox","Version":2}');
        foreach (['milk', "milk\n", "milk\nbread\n", line(SALE), substr(line(HEADER), 0, -9), $later] as $text) {
            file_put_contents($world->journal, $text);
            expectThrown(OutboxError::class, static fn () => (new Journal($world->journal))->append(static fn () => sale('A-1')));
            expectSame($text, $world->content());
        }
        expectThrown(OutboxError::class, static fn () => new Journal("$world->folder/nowhere/till.journal"), 'no folder');
    },

    'a full disk is said before the sale' => static function (World $world): void {
        $journal = new Journal($world->journal);
        $journal->append(static fn () => sale('A-1'));
        $pad = 2048 - strlen($world->content()) - 150;
        $journal->append(static fn () => sale('A-2', ['Body' => str_repeat('x', $pad)]));
        $before = $world->content();
        $result = $world->sellLimited(2, receipt('A-3', 1001, ['Name' => str_repeat('y', 200)]));
        expectThat(str_starts_with($result, 'OutboxError') && str_contains($result, 'File too large'), $result);
        expectSame([], $world->asked());
        expectSame($before, $world->content());
    },

    'a disk that fills up after the sale costs no seal' => static function (World $world): void {
        $journal = new Journal($world->journal);
        $journal->append(static fn () => ['Kind' => 'Unknown']);
        $room = 2048 - strlen($world->content()) - 170;
        expectSame('Tillseal\Outbox\Signed', $world->sellLimited(2, receipt('A-1', 1001, ['Name' => str_repeat('y', $room)])));
        $outbox = $world->outbox();
        expectSame(1, $outbox->status()->open);
        expectSame(0, $outbox->drain()->open);
        expectSame([false, true], array_column($world->asked(), 'IsLate'));
    },

    'compaction leaves nothing of the buyers and keeps the rest' => static function (World $world): void {
        $journal = new Journal($world->journal);
        $old = ['At' => Journal::now(-3600)];
        foreach (['old', 'parked', 'open', 'fresh', 'again'] as $name) {
            $journal->append(static fn () => sale($name, $old + ['Body' => "Rudo of $name"]));
        }
        foreach ([
            ['Kind' => 'Signed', 'Reference' => 'old', 'Answer' => '{}', 'At' => Journal::now(-61)],
            ['Kind' => 'Parked', 'Reference' => 'parked', 'Status' => 400, 'Answer' => '{}'] + $old,
            ['Kind' => 'Parked', 'Reference' => 'again', 'Status' => 400, 'Answer' => '{}'] + $old,
            ['Kind' => 'Discarded', 'Reference' => 'again'] + $old,
            sale('again'),
            ['Kind' => 'Signed', 'Reference' => 'fresh', 'Answer' => '{}'],
            ['Kind' => 'Halted', 'Status' => 401, 'Answer' => '{}'],
            ['Kind' => 'Resumed'],
            ['Kind' => 'Halted', 'Status' => 403, 'Answer' => '{}', 'Extra' => 1],
            ['Kind' => 'FromTheFuture', 'Reference' => 'x'],
        ] as $record) {
            $journal->append(static fn () => $record);
        }
        $held = $journal->drainLock->take();
        $journal->compact($held);
        $held->release();
        foreach (['Rudo of old', 'Rudo of again', 'Resumed', '401'] as $gone) {
            expectThat(!str_contains($world->content(), $gone), "$gone is gone");
        }
        foreach (['Rudo of parked', 'Rudo of open', 'Rudo of fresh', 'FromTheFuture', '"Extra":1'] as $kept) {
            expectThat(str_contains($world->content(), $kept), "$kept is kept");
        }
        expectSame(['parked', 'open', 'fresh', 'again'], salesOf($world->journal));
        expectSame(0600, fileperms($world->journal) & 0777);
        expectThat(!file_exists("$world->journal.new"), 'no .new is left');
    },

    'a reader keeps its place through two compactions' => static function (World $world): void {
        [$writer, $reader] = [new Journal($world->journal), new Journal($world->journal)];
        $old = ['At' => Journal::now(-3600)];
        for ($number = 0; $number < 10; $number++) {
            $writer->append(static fn () => sale("A-$number", $old));
            $reader->refresh();
            for ($time = 0; $time < 2; $time++) {
                $writer->append(static fn () => ['Kind' => 'Signed', 'Reference' => "A-$number", 'Answer' => '{}'] + $old);
                $writer->append(static fn () => sale("B-$number", $old + ['Body' => str_repeat('x', 500)]));
                $held = $writer->drainLock->take();
                $writer->compact($held);
                $held->release();
            }
            $reader->refresh();
            expectSame(array_keys($writer->sales), array_keys($reader->sales));
        }
    },

    'the lock of a killed process is free at once, also while it is a zombie' => static function (World $world): void {
        [$process, $pipes] = $world->child('$held = $journal->drainLock->take(); echo "taken\n"; fgets(STDIN);');
        fgets($pipes[1]);
        $lock = (new Journal($world->journal))->drainLock;
        expectSame(null, $lock->tryTake());
        posix_kill(pidOf($process), 9);
        $until = microtime(true) + 60;
        while (Processes::startOf(pidOf($process)) !== '' && microtime(true) < $until) {
            usleep(1000);
        }
        expectThat($lock->tryTake() !== null, 'it is free');
    },

    'a request that dies of a fatal error releases its locks' => static function (World $world): void {
        [$process, $pipes] = $world->child('$held = $journal->drainLock->take(); echo "taken\n"; (new stdClass)->no(); ');
        expectSame("taken\n", fgets($pipes[1]));
        stream_get_contents($pipes[1]);
        $lock = (new Journal($world->journal))->drainLock;
        expectSame('{}', trim((string) file_get_contents($lock->path($lock->highest()))));
    },

    'a process that was stopped for a minute loses its lock, and no line is lost' => static function (World $world): void {
        $journal = new Journal($world->journal);
        $journal->append(static fn () => sale('A-1'));
        [$process, $pipes] = $world->child(
            '$journal->append(function () use ($journal) { if (isset($journal->sales["B-1"])) return null; echo "deciding\n"; fgets(STDIN);'
            . 'return ["Kind" => "Sale", "Reference" => "B-1", "AuthorityDeviceId" => 1, "Body" => "{}"]; }); echo "done\n";',
        );
        expectSame("deciding\n", fgets($pipes[1]));
        posix_kill(pidOf($process), 19);
        [$lockFile] = glob("$world->journal.append.*");
        touch($lockFile, time() - 61);
        $old = ['At' => Journal::now(-3600)];
        $journal->append(static fn () => ['Kind' => 'Signed', 'Reference' => 'A-1', 'Answer' => '{}'] + $old);
        $journal->append(static fn () => sale('A-2'));
        $held = $journal->drainLock->take();
        $journal->compact($held);
        $held->release();
        posix_kill(pidOf($process), 18);
        fwrite($pipes[0], "\n\n");
        expectSame("deciding\ndone\n", stream_get_contents($pipes[1]));
        expectSame(['A-2', 'B-1'], salesOf($world->journal));
        expectSame(1, substr_count($world->content(), '"B-1"'));
    },

    'a process that lost the drain lock replaces nothing' => static function (World $world): void {
        $journal = new Journal($world->journal);
        $old = ['At' => Journal::now(-3600)];
        $journal->append(static fn () => sale('A-1', $old));
        $journal->append(static fn () => ['Kind' => 'Signed', 'Reference' => 'A-1', 'Answer' => '{}'] + $old);
        $held = $journal->drainLock->take();
        file_put_contents($journal->drainLock->path(9), '{}');
        $journal->compact($held);
        expectSame(['A-1'], salesOf($world->journal));
        expectThat(!file_exists("$world->journal.new"), 'no .new is left');
    },

    'stale locks of every kind' => static function (World $world): void {
        $lock = (new Journal($world->journal))->drainLock;
        [$me, $start, $init] = [(int) getmypid(), Processes::startOf((int) getmypid()), Processes::startOf(1)];
        $owner = static fn (int $pid, string $start, string $init) => json_encode(['Pid' => $pid, 'Start' => $start, 'Init' => $init]);
        foreach ([
            ['{}', 0, true],
            ['{}     ', 0, true],
            [$owner($me, $start, $init), 0, false],
            [$owner($me, $start, $init), 55, false],
            [$owner($me, $start, $init), 62, true],
            [$owner($me, $start, $init), -62, true],
            [$owner($me, '1', $init), 0, true],
            [$owner(99_999_999, $start, $init), 0, true],
            [$owner($me, '1', 'in another container'), 0, false],
            [$owner($me, '1', 'in another container'), 62, true],
            ['', 0, false],
            ['', 7, true],
            ['{"Pid":', 3, false],
            ['{"Pid":', 7, true],
            ['null', 7, true],
        ] as [$content, $age, $isFree]) {
            $generation = $lock->highest() + 1;
            file_put_contents($lock->path($generation), $content);
            touch($lock->path($generation), time() - $age);
            $held = $lock->tryTake();
            expectSame($isFree, $held !== null, "$content after $age s");
            expectSame($isFree ? [$generation + 1] : [$generation], array_slice($lock->generations(), -1));
        }
    },

    'processes that write and compact at once lose nothing, though one is killed' => static function (World $world): void {
        $words = [PHP_BINARY, __DIR__ . '/../till.php', 'stress', '--journal', $world->journal, '--device', '1', '--count', '40', '--prefix'];
        $tills = array_map(static fn (int $number) => $world->start([...$words, "P$number"]), range(0, 3));
        fgets($tills[0][1][1]);
        posix_kill(pidOf($tills[0][0]), 9);
        $said = '';
        foreach ($tills as [, $pipes]) {
            $said .= stream_get_contents($pipes[1]);
        }
        preg_match_all('/^{"Reference":"(.*)"}$/m', $said, $found);
        expectThat(count($found[1]) >= 120, 'three wrote to their end');
        $sales = salesOf($world->journal);
        expectSame([], array_values(array_diff($found[1], $sales)));
        foreach (range(0, 3) as $number) {
            $own = array_values(preg_filter("/^P$number-(\d+)$/", '$1', $sales));
            $sorted = $own;
            sort($sorted, SORT_NUMERIC);
            expectSame($sorted, $own);
        }
    },
];
