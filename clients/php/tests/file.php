<?php

declare(strict_types=1);

use Tillseal\Error\OutboxException;
use Tillseal\Outbox\Signed;

return [
    'a new file is for its owner only, and stays where it was opened' => static function (World $world): void {
        [$folder, $umask] = [getcwd(), umask(0)];
        chdir($world->folder);
        $outbox = $world->client->openOutbox('till.outbox', FAR);
        chdir($folder);
        umask($umask);
        expectSame(Signed::class, $outbox->sell(receipt('A-1'))::class);
        expectSame([0600, 0600], [fileperms($world->file) & 0777, fileperms("$world->file-journal") & 0777]);
        expectSame([['A-1', 'Signed', 1, 1, 0, 200, 17]], $world->query('select reference, state, attempts, answered, leased_until, status, number from sales'));
        expectThrown(OutboxException::class, static fn () => $world->client->openOutbox("$world->folder/nowhere/till.outbox"), 'No such file');
    },

    'without its extension an outbox says what to install' => static function (World $world): void {
        $program = 'require $argv[1]; try { (new Tillseal\Client("http://x", ""))->openOutbox("x"); } catch (Exception $error) { echo $error->getMessage(); }';
        $said = $world->output([PHP_BINARY, '-n', '-r', $program, __DIR__ . '/../src/autoload.php']);
        expectThat(str_starts_with($said, "an outbox needs PHP's extension pdo_sqlite"), $said);
    },

    'a file that is locked is waited for, but not for long' => static function (World $world): void {
        $outbox = $world->outbox();
        $lock = new PDO("sqlite:$world->file");
        $lock->exec('begin exclusive');
        $started = microtime(true);
        expectThrown(OutboxException::class, static fn () => $outbox->sell(receipt('A-1')), 'sold again, unchanged');
        expectThat(microtime(true) - $started >= 10, 'ten seconds');
        expectSame([], $world->asked());
        [, $pipes] = $world->start($world->till('P'));
        usleep(500_000);
        $lock->exec('rollback');
        expectThat(str_contains((string) stream_get_contents($pipes[1]), 'Signed'), 'it has waited');
    },

    'a sale that is written only at its deadline is sent nevertheless, because it counts as sent' => static function (World $world): void {
        $outbox = $world->outbox(0.3);
        $lock = '$db = new PDO("sqlite:$argv[1]"); $db->exec("begin exclusive"); echo "locked\n"; sleep(2);';
        [, $pipes] = $world->start([PHP_BINARY, '-r', $lock, $world->file]);
        fgets($pipes[1]);
        $outbox->sell(receipt('A-1'));
        for ($until = microtime(true) + FAR; $world->asked() === [] && microtime(true) < $until; ) {
            usleep(1000);
        }
        expectSame([1, 1], [count($world->asked()), $outbox->find('A-1')->attempts]);
    },

    'a full disk is said before the sale, and costs no seal behind it' => static function (World $world): void {
        $world->outbox();
        $sell = static function (array $receipt) use ($world): string {
            $program = 'require $argv[1]; try { $outbox = (new Tillseal\Client($argv[2], ""))->openOutbox($argv[3]);'
                . 'echo get_class($outbox->sell(json_decode($argv[4], true))); } catch (Exception $error) { echo $error->getMessage(); }';
            $words = [PHP_BINARY, '-r', $program, __DIR__ . '/../src/autoload.php', $world->url, $world->file, json_encode($receipt)];
            return $world->output(['bash', '-c', "trap '' XFSZ; ulimit -f 64; exec \"\$@\"", '', ...$words]);
        };
        $said = $sell(receipt('A-1', 1001, ['Name' => str_repeat('x', 70_000)]));
        expectThat(str_contains($said, 'sold again, unchanged'), $said);
        expectSame([[], []], [$world->asked(), $world->query('select * from sales')]);
        $world->replyWith(['Body' => ['Reference' => 'A-2', 'DeviceSignature' => str_repeat('x', 70_000), 'GlobalCounter' => 1]]);
        expectSame(Signed::class, $sell(receipt('A-2')));
        expectSame([['Queued', 1]], $world->query('select state, attempts from sales'));
        $world->secondsLater = 6;
        expectSame(1, $world->outbox()->drain()->signed);
        expectSame([false, true], array_column($world->asked(), 'IsLate'));
    },

    'a flush or write that fails, whichever it is, loses no sale and doubles none' => static function (World $world): void {
        if ($world->output(['strace', '-o', '/dev/null', 'echo', 'works']) !== "works\n") {
            echo "        (skipped: strace does not work on this machine)\n";
            return;
        }
        $world->outbox();
        [$struck, $prefixes] = [0, []];
        foreach (['fdatasync:error=EIO' => range(1, 10), 'pwrite64:error=ENOSPC' => range(1, 36, 6), 'ftruncate:error=EIO' => [1, 2]] as $fault => $calls) {
            foreach ($calls as $when) {
                $before = count($world->asked());
                $prefixes[] = $prefix = substr($fault, 0, 5) . $when;
                $till = $world->till($prefix, 1, 100 + count($prefixes));
                $world->output([...$till, '--deadline-ms', '0']);
                $world->outbox()->discard("$prefix-1"); // Which is not the same sale, though it is sold unchanged.
                $paths = ['-P', $world->folder, '-P', $world->file, '-P', "$world->file-journal"];
                $strace = ['strace', '-o', "$world->folder/trace", ...$paths, '-e', "inject=$fault:when=$when"];
                $said = json_decode($world->output([...$strace, ...$till]));
                $struck += str_contains((string) file_get_contents("$world->folder/trace"), 'INJECTED') ? 1 : 0;
                $isThere = $world->query("select 1 from sales where reference = '$prefix-1' and state <> 'Discarded'") !== [];
                $isSent = count($world->asked()) > $before;
                expectSame($said->Outcome === 'Failed' ? [false, false] : [true, true], [$isThere, $isSent], "$prefix $said->Outcome");
            }
        }
        foreach ($prefixes as $prefix) {
            expectThat(str_contains($world->output($world->till($prefix)), 'Signed'), "$prefix again");
            expectSame([['Signed']], $world->query("select state from sales where reference = '$prefix-1'"));
        }
        expectThat($struck > 10, "$struck faults");
        expectSame([['ok']], $world->query('pragma integrity_check'));
    },
];
