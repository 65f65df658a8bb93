# mutate.pl: the work of tests/mutate: builds each named fault and judges the catalogue by it, several at a time.
#   perl mutate.pl ROOT BUILD key=value... < names of faults, one a line
# Keys: as=any,model|any|model  jobs=N  most=N  whole=0|1  strict=0|1  json=FILE  learnt=FILE
use strict;
use warnings;
use lib ($0 =~ m{(.*)/})[0] // '.';
use Cwd ();
use Fcntl qw(:flock);
use File::Temp ();
use POSIX qw(:sys_wait_h setpgid);
use Time::HiRes qw(time alarm);
use Faults;

my ($root, $build, @settings) = @ARGV;
my %set = map { /^(\w+)=(.*)$/ ? ($1 => $2) : die "mutate.pl: $_?\n" } @settings;
my @columns = split /,/, $set{as};
my $limit_s = 120;    # of one run of the catalogue, which takes some 5 s
my $blocked = '(blocked)'; # stands for all cases that were not tried because a basic thing is broken
my $verdict_only = '(verdict)'; # no case failed, but too few could be tried
my $heavy_part = 0.1; # of the time of a whole run: a case that takes more is run when no other one has noticed anything

# Subjects of the catalogue in which the first symptom of an area's fault may lie; one of them failing first names the
# right place.
my %near = (
    discovery => 'discovery regs',
    regs => 'regs discovery irq error scanout',
    ring => 'ring fence error regs',
    fence => 'fence ring irq present',
    irq => 'irq vblank fence',
    vblank => 'vblank present irq',
    error => 'error ring regs',
    dma => 'dma ring fence buffer copy texture',
    scanout => 'scanout present vblank',
    present => 'present scanout shared',
    shared => 'shared',
    map { $_ => 'buffer copy texture clear render' } qw(buffer copy texture clear),
);

# A first failure elsewhere names the right place too when it is about a register of the area.
my %register = (
    irq => qr/\bIRQ_/,
    error => qr/\bERROR_(?!COUNT unchanged)/,
    fence => qr/\bCOMPLETED_FENCE|\bfence completes/,
    regs => qr/\b(?!ERROR_COUNT unchanged)[A-Z][A-Z0-9]*_[A-Z0-9_]+/,
    vblank => qr/VBLANK/,
    scanout => qr/(?:\b|_REG_)(?:SCANOUT|CURSOR)/,
);

# And so does one of a case about the very rule that the fault breaks, where the specification has a subsection for it:
# whoever goes from a lost read of a buffer to commands.md 6.2 is at the rule, whatever the case is called.
sub is_rule {
    my ($rule, $section) = @_;
    return $rule =~ /\.md \d+\.\d/ && scalar grep { $_ eq $rule } split /, /, $section // '';
}

sub is_right {
    my ($fault, $id, $text, $section) = @_;
    my $own = $fault->{area};
    my %subject =
        map { $_ => 1 } split(/ /, $near{$own} // "$own render compute texture"), split(/ /, $fault->{also} // '');
    return 1 if $subject{ $id =~ s/\..*//r } || is_rule($fault->{rule}, $section);
    return $id ne '' && $register{$own} && $text =~ $register{$own} ? 1 : 0;
}

# Whether the tables say that the fault is not noticed in that column.
sub is_gap {
    my ($fault, $as) = @_;
    return defined $fault->{survives} && ($as eq 'any' || $fault->{survives} =~ /^both:/);
}

# Runs PROGRAM's catalogue up to the case that is one failure too many: each may have waited for its timeout. Returns
# {failed => [ids], text => first failed check, ended => finished|stopped|crashed|hung, took => {id => seconds}, good =>
# the run's own verdict, log => its last word}. Cases that were not tried because a basic thing is broken stand among the
# failed ones as one.
sub catalogue {
    my ($program, $as, $abi, %how) = @_;
    my %run = (failed => [], text => '', ended => '', took => {}, log => '');
    my @arguments = ('--clock', 'manual', '--as', $as, '--abi', $abi);
    my (%check, %ignored, $from);

    push @arguments, '--quiet' unless $how{timed};
    push @arguments, '--filter', join(',', @{ $how{ids} }) if $how{ids};
    $ignored{$_} = 1 for @{ $how{ignored} // [] };
    my $child = open($from, '-|') // die "fork: $!\n";
    if ($child == 0) {
        setpgid(0, 0); # with the drawing process
        open STDERR, '>', '/dev/null';
        exec { $program } $program, @arguments or POSIX::_exit(127);
    }
    my $began = time;
    my $over = 0;
    local $SIG{ALRM} = sub { $over = 1; kill 'KILL', -$child; kill 'KILL', $child };
    alarm $limit_s;
    while (my $line = <$from>) {
        $line =~ s/^[^;]*;//;
        chomp $line;
        if ($line =~ /^check (\S+) (.*)/) {
            $check{$1} //= $2 =~ s/ file=\S* line=\d+//r;
        } elsif ($line =~ /^end (\S+) status=(\w+)/) {
            my ($id, $status) = ($1, $2);
            my $now = time;
            $run{took}{$id} = $now - $began;
            $began = $now;
            next if $status =~ /^(?:PASS|SKIP)$/ || $ignored{$id};
            $run{text} = $check{$id} // $line unless @{ $run{failed} };
            push @{ $run{failed} }, $id;
            if (@{ $run{failed} } == $how{most}) {
                $run{ended} = 'stopped';
                last;
            }
        } elsif ($line =~ /^log .* text=(.*)/) {
            $run{log} = $1;
        } elsif ($line =~ /^summary /) {
            $run{ended} = 'finished';
            push @{ $run{failed} }, $blocked if @{ $run{failed} } && $line =~ / blocked=[1-9]/;
        }
    }
    alarm 0;
    if ($run{ended} eq 'stopped') {
        kill 'KILL', -$child;
        kill 'KILL', $child;
    }
    close $from;
    $run{good} = $? == 0;
    $run{ended} ||= $over ? 'hung' : 'crashed';
    $run{text} ||= $run{ended} eq 'hung' ? 'the run did not end' : "the run ended with status $?"
        if $run{ended} =~ /^(?:hung|crashed)$/;
    return \%run;
}

# What the right device does, once for each build: which cases are there, which are slow, which fail and so prove
# nothing. Kept in the build folder.
sub baseline {
    my ($as, $abi) = @_;
    my $program = "$build/tests/host_platform/agpu_inprocess";
    my $key = join ' ', 'with sections', map { my @s = stat $_; @s ? @s[7, 9] : () } $program, "$build/bin/agpu-render";
    my $file = "$build/mutate-baseline-$as-$abi.tsv";
    my %base = (light => [], heavy => [], failed => [], bad => undef);
    my @lines = -f $file ? split /\n/, Faults::slurp($file) : ();

    if (!@lines || shift(@lines) ne $key) {
        my $run = catalogue($program, $as, $abi, timed => 1, most => -1);
        my $all = 0;
        die "the catalogue on the model without a fault $run->{ended}: $run->{text}\n" if $run->{ended} ne 'finished';
        $all += $_ for values %{ $run->{took} };
        my %failed = map { $_ => 1 } @{ $run->{failed} };
        my ($order) = `$program --abi $abi --list` =~ /(.*)/s;
        @lines = ($run->{good} ? () : "-\tbad", map {
            my ($id, $section) = split / +/, $_, 2;
            my $took = $run->{took}{$id} // 0;
            join "\t", $id, $failed{$id} ? 'failed' : $took > $heavy_part * $all && $took > 0.5 ? 'heavy' : 'light',
                $section // '';
        } split /\n/, $order);
        Faults::spill("$file.$$", join("\n", $key, @lines, ''));
        rename "$file.$$", $file;
    }
    for (@lines) {
        my ($id, $kind, $section) = split /\t/;
        push @{ $base{$kind} }, $id;
        $base{section}{$id} = $section // '';
    }
    $base{known} = { map { $_ => 1 } @{ $base{light} }, @{ $base{heavy} } };
    return \%base;
}

# The cases that failed last time are the likely ones: name, column, ids. One file for all trees of this machine.
sub read_learnt {
    my %learnt;
    return \%learnt unless -f $set{learnt};
    for (split /\n/, Faults::slurp($set{learnt})) {
        my ($name, $as, @ids) = split /\t/;
        $learnt{"$name\t$as"} = \@ids if @ids;
    }
    return \%learnt;
}

sub write_learnt {
    my ($results) = @_;
    my $folder = $set{learnt} =~ s{/[^/]*$}{}r;
    mkdir $folder;
    open my $lock, '>', "$set{learnt}.lock" or return;
    flock $lock, LOCK_EX;
    my $learnt = read_learnt();
    $learnt->{"$_->{fault}\t$_->{as}"} = [grep { !/^\(/ } @{ $_->{ids} }] for grep { $_->{verdict} ne 'broken' } @$results;
    Faults::spill("$set{learnt}.new",
        join '', map { @{ $learnt->{$_} } ? join("\t", $_, @{ $learnt->{$_} }) . "\n" : () } sort keys %$learnt);
    rename "$set{learnt}.new", $set{learnt};
}

# One fault in one column. Likely cases first; when they are not enough, the catalogue in its own order; its slow cases
# only when nothing else failed.
sub judge {
    my ($program, $fault, $as, $base, $likely) = @_;
    my $start = time;
    my @how = ($program, $as, $fault->{abi});
    my $run;

    my @ids = $set{whole} ? () : grep { $base->{known}{$_} } @$likely;
    $run = catalogue(@how, most => $set{most}, ids => \@ids) if @ids;
    if (!$run || $run->{ended} ne 'stopped') {
        my $first = $run;
        $run = catalogue(@how, most => $set{most}, ids => $base->{light});
        if (!@{ $run->{failed} } && $run->{ended} eq 'finished' && !$run->{good} && !$base->{bad}) {
            @$run{qw(failed text)} = ([$verdict_only], $run->{log});
        } elsif (!@{ $run->{failed} } && $first && @{ $first->{failed} }) { # only seen in the small run, but seen
            $run = $first;
        } elsif (!@{ $run->{failed} } && $run->{ended} eq 'finished' && @{ $base->{heavy} }) {
            $run = catalogue(@how, most => $set{most}, ids => $base->{heavy});
        }
    }
    my $first = $run->{failed}[0] // '';
    my $verdict = @{ $run->{failed} } ? 'killed' : $run->{ended} eq 'finished' ? 'survived' : $run->{ended};
    if (defined $fault->{allowed} && $as eq 'any') {
        $verdict = $verdict eq 'survived' ? 'allowed' : 'wrong';
    } elsif ($verdict eq 'survived' && is_gap($fault, $as)) {
        $verdict = 'known';
    }
    return {
        fault => $fault->{name}, area => $fault->{table}, as => $as, verdict => $verdict, ids => $run->{failed},
        first => $first, message => $run->{text}, right => is_right($fault, $first, $run->{text}, $base->{section}{$first}),
        seconds => time - $start, ended => $run->{ended},
    };
}

sub line_of {
    my ($fault, @results) = @_;
    my $seconds = 0;
    $seconds += $_->{seconds} for @results;
    my ($told) = sort { (@{ $b->{ids} } > 0) <=> (@{ $a->{ids} } > 0) } @results;
    my %word = (survived => 'SURVIVED', known => 'known gap', wrong => 'WRONG', hung => 'HUNG', crashed => 'CRASHED');
    my %is = map { $_->{verdict} => 1 } @results;
    my ($worst) = grep { $is{$_} } qw(wrong hung crashed survived known killed allowed);
    my $cases = join ' ', map {
        my $count = @{ $_->{ids} };
        sprintf '%-7s', "$_->{as} " . ($count || $_->{verdict} ne 'allowed' ? $count : 'ok')
    } reverse @results;
    my $text =
          $told->{first} ne ''
        ? "$told->{first}" . ($told->{right} ? '' : ' (another area)') . ": $told->{message}"
        : $told->{ended} eq 'finished' ? $fault->{says} : $told->{message};
    $text = "as any it is allowed: $fault->{allowed} $text" if $worst eq 'wrong';
    return sprintf "%-9s %-46s %5.1f s  %s  %s\n", $word{$worst} // $worst, $fault->{name}, $seconds, $cases, $text;
}

my $tables = Faults->read($root);
chomp(my @names = <STDIN>);
my %fault = map { $_->{name} => $_ } @{ $tables->{faults} };
my $work = File::Temp::tempdir(CLEANUP => 0);
my $owner = $$;
my %running;
END { system 'rm', '-rf', $work if defined $work && $owner == $$ }
$SIG{$_} = sub { kill 'TERM', keys %running; exit 1 } for qw(INT TERM HUP);
$SIG{PIPE} = 'DEFAULT';

my $recipe = $tables->recipe($build, 'agpu_inprocess');
my $learnt = read_learnt();
my %base;
for my $as (@columns) {
    $base{"$as $_"} = baseline($as, $_) for keys %{ { map { $_->{abi} => 1 } @fault{@names} } };
}
for my $key (sort keys %base) {
    my ($as, $abi) = split / /, $key;
    print STDERR "tests/mutate: as $as, ABI $abi: @{ $base{$key}{failed} } fail on the model without a fault and count for"
        . " nothing\n" if @{ $base{$key}{failed} };
}

# The work of one child: its results as lines of fields, its text on standard output.
sub attempt {
    my ($fault) = @_;
    my $out = "$work/$fault->{name}";
    my (@results, $likely);

    mkdir $out;
    chdir $out;
    my $built = eval { $tables->apply($recipe, $fault, $out); 1 };
    Faults::spill("$out/errors", $@) unless $built;
    if (!$built || system("bash build.sh >errors 2>&1") != 0) {
        my @errors = split /\n/, Faults::slurp("$out/errors");
        splice @errors, 12;
        print "BROKEN    $fault->{name}\n", map { "          $_\n" } @errors;
        @results = map { { fault => $fault->{name}, area => $fault->{table}, as => $_, verdict => 'broken', ids => [],
            first => '', message => '', right => 0, seconds => 0, ended => 'broken' } } @columns;
    } else {
        for my $as (@columns) {
            my $known = $learnt->{"$fault->{name}\t$as"} // $likely // $learnt->{"$fault->{name}\tany"} // [];
            push @results, judge("$out/agpu_inprocess", $fault, $as, $base{"$as $fault->{abi}"}, $known);
            $likely = $results[-1]{ids} if @{ $results[-1]{ids} }; # those in brackets are no case, and known as none
        }
        print line_of($fault, @results);
    }
    Faults::spill("$work/$fault->{name}.result", join '',
        map { join("\t", map { s/[\t\n]/ /gr } @$_{qw(fault area as verdict first message right seconds ended)}, @{ $_->{ids} })
                . "\n" } @results);
    chdir '/';
    system 'rm', '-rf', $out;
}

$| = 1;
my $began = time;
my @queue = @names;
while (@queue || %running) {
    while (@queue && keys %running < $set{jobs}) {
        my $fault = $fault{ shift @queue };
        my $child = fork // die "fork: $!\n";
        if ($child == 0) {
            $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
            attempt($fault);
            close STDOUT;
            POSIX::_exit(0);
        }
        $running{$child} = 1;
    }
    my $ended = waitpid -1, 0;
    delete $running{$ended};
}

my @results;
for my $name (@names) {
    next unless -f "$work/$name.result";
    for (split /\n/, Faults::slurp("$work/$name.result")) {
        my %result;
        (@result{qw(fault area as verdict first message right seconds ended)}, my @ids) = split /\t/;
        push @results, { %result, ids => \@ids };
    }
}
write_learnt(\@results);

if ($set{json}) {
    my @lines = map {
        my $message = $_->{message} =~ s/([\\"])/\\$1/gr;
        sprintf '{"fault": "%s", "area": "%s", "as": "%s", "verdict": "%s", "killed": %s, "cases": %d, "first": "%s", '
            . '"message": "%s", "right_area": %s, "seconds": %.2f, "ended": "%s", "failed": [%s]}',
            @$_{qw(fault area as verdict)}, @{ $_->{ids} } ? 'true' : 'false', scalar @{ $_->{ids} }, $_->{first}, $message,
            $_->{right} ? 'true' : 'false', $_->{seconds}, $_->{ended}, join ', ', map { "\"$_\"" } @{ $_->{ids} };
    } @results;
    Faults::spill($set{json}, "[\n" . join(",\n", @lines) . "\n]\n");
    print STDERR "tests/mutate: results: $set{json}\n";
}

my $bad = 0;
my (%listed, @order);
for my $as (reverse @columns) {
    my @of = grep { $_->{as} eq $as && $_->{verdict} ne 'broken' } @results;
    my @judged = grep { $_->{verdict} !~ /^(?:allowed|wrong)$/ } @of;
    my @killed = grep { @{ $_->{ids} } } @judged;
    my %count;
    $count{ $_->{verdict} }++ for @of;
    printf "as %-5s  %d of %d killed (%.1f %%), %d by %d cases or more, %d first in the right area (%.1f %%)", $as,
        scalar @killed, scalar @judged, @judged ? 100 * @killed / @judged : 100,
        scalar(grep { @{ $_->{ids} } >= $set{most} } @killed), $set{most}, scalar(grep { $_->{right} } @killed),
        @killed ? 100 * grep({ $_->{right} } @killed) / @killed : 100;
    printf "; %d %s", $count{ $_->[0] }, $_->[1]
        for grep { $count{ $_->[0] } } ['survived', 'survived'], ['known', 'are known gaps'], ['hung', 'hung'],
        ['crashed', 'crashed'], ['allowed', 'may be so'], ['wrong', 'may be so, but a case fails'];
    print "\n";
    for (grep { $_->{verdict} !~ /^(?:killed|allowed|known)$/ } @of) {
        my $line = "as $as, $_->{area}, $_->{verdict}";
        push @order, $line unless $listed{$line};
        push @{ $listed{$line} }, $_->{fault};
        $bad++ if $set{strict};
    }
}
printf "%d faults, %.0f s\n", scalar @names, time - $began;
print "$_:\n", map { "  $_\n" } @{ $listed{$_} } for @order;
my %gap;
$gap{ $_->{fault} }{ $_->{verdict} }++ for grep { is_gap($fault{ $_->{fault} }, $_->{as}) } @results;
my @closed = grep { $gap{$_} && $gap{$_}{killed} && !$gap{$_}{known} } @names;
print "known as gaps, but killed now (take the survives line out):\n", map { "  $_\n" } @closed if @closed;
my $broken = () = grep { $_->{verdict} eq 'broken' } @results;
my $missing = grep { !-f "$work/$_.result" } @names;
print "those BROKEN were not tried: they do not apply to the model any more, or do not build. The reason stands with each"
    . " above; mend the entry in tests/faults\n" if $broken;
print "$missing faults have no result\n" if $missing;
exit($broken || $missing || $bad ? 1 : 0);
