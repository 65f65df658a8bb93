# faults.pl: the tables of device faults (Faults.pm) on the command line.
#   perl faults.pl check ROOT                      every entry is complete and still applies; what is wrong on stderr
#   perl faults.pl list ROOT [all]                 one line an entry: name, group, area, ABI, sentence, then its also,
#                                                  allowed and survives, "-" where there is none, and rule; tabs between; all:
#                                                  those of the model itself too, in group "model"
#   perl faults.pl which ROOT NAME[:PARAMETER]     "built" for one of the tables, "model" for one that the model can switch
#                                                  on; status 2, and the nearest names on stderr, when there is none
#   perl faults.pl mark ROOT JSON                  JSON is what tests/mutate --json wrote: a survivor without a mark gets
#                                                  a line "survives", one that was killed loses it
#   perl faults.pl apply ROOT BUILD NAME OUT TARGET  OUT/tests/device/... as the fault has it, and OUT/build.sh, which
#                                                  builds TARGET in OUT; BUILD is a build folder of ROOT
use strict;
use warnings;
use lib ($0 =~ m{(.*)/})[0] // '.';
use Faults;

my ($command, $root, @rest) = @ARGV;
die "usage: faults.pl check|list|apply ROOT ...\n" unless defined $root && -d "$root/tests/device";
my $tables = Faults->read($root);

if ($command eq 'check') {
    $tables->check;
} elsif ($command eq 'list') {
    for my $fault (@{ $tables->{faults} }) {
        print join("\t", @$fault{qw(name table)}, map { $_ // '-' } @$fault{qw(area abi says also allowed survives rule)}),
            "\n";
    }
    printf "%s\tmodel\t%s\t-\t%s\t-\t-\t-\t%s\n", @$_{qw(name area says rule)} for @rest ? $tables->runtime : ();
} elsif ($command eq 'which' && @rest == 1) {
    my %kind = map { $_->{name} => 'model' } $tables->runtime;
    $kind{ $_->{name} } = 'built' for @{ $tables->{faults} };
    my $kind = $kind{ $rest[0] } // $kind{ $rest[0] =~ s/:\d+$//r } // '';
    $kind = '' if $kind eq 'built' && $rest[0] =~ /:/;
    if ($kind eq '') {
        my @near = Faults::nearest($rest[0], sort keys %kind);
        print STDERR "no fault $rest[0]; the nearest: @near\n";
        exit 2;
    }
    print "$kind\n";
} elsif ($command eq 'mark' && @rest == 1) {
    my (%verdict, %tables);
    my $results = Faults::slurp($rest[0]);
    $verdict{$1}{$2} = $3
        while $results =~ /^\{"fault": "(\w+)", "area": "\w+", "as": "(\w+)", "verdict": "(\w+)"/mg;
    for my $fault (@{ $tables->{faults} }) {
        my $is = $verdict{ $fault->{name} } or next;
        my ($model, $any) = map { $_ // '' } @$is{qw(model any)};
        my $wanted = $model =~ /^(?:survived|known)$/ ? 'both' : $any =~ /^(?:survived|known)$/ ? 'any' : '';
        my ($whom, $why) = ($fault->{survives} // '') =~ /^(any|both): (.*)/;
        next if $wanted eq ($whom // '');
        my $file = "$root/tests/faults/$fault->{table}.faults";
        my $text = $tables{$file} // Faults::slurp($file);
        my $line = $wanted eq '' ? '' : "survives $wanted: " . ($why // 'no case notices it yet.') . "\n";
        $text =~ s{^(fault \Q$fault->{name}\E\n(?:(?!file )\w.*\n)*)}{$1 =~ s/^survives .*\n//mr . $line}me
            or die "$file: $fault->{name} is not understood\n";
        $tables{$file} = $text;
        print "$fault->{name}: ", $line || "killed\n";
    }
    Faults::spill($_, $tables{$_}) for keys %tables;
} elsif ($command eq 'apply' && @rest == 4) {
    my ($build, $name, $out, $target) = @rest;
    my $fault = $tables->find($name) or die "no fault $name\n";
    $tables->apply($tables->recipe($build, $target), $fault, $out);
} else {
    die "unknown command: $command\n";
}
print STDERR "$_\n" for @{ $tables->{problems} };
printf "%d faults in the tables, %d problems\n", scalar @{ $tables->{faults} }, scalar @{ $tables->{problems} }
    if $command eq 'check';
exit(@{ $tables->{problems} } ? 1 : 0);
