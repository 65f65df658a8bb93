# table.pl: the table of cases that the host tool carries (cases.c), made at build time from what has it.
#   perl table.pl ROOT ROWS-PROGRAM NM    on stdout: a C initialiser a case, in run order: id, section, file, line, sentence,
#                                         legacy, model choice, together, on request
# ROWS-PROGRAM (agpu_catalogue_rows) prints the rows; NM names their bodies. The sentence is the first one of the comment
# above the body, with the id's last word where the body serves several cases. A body whose name says all has no comment:
# then it is the id's own words and what its file is for.
use strict;
use warnings;

my ($root, $program, $nm) = @ARGV;
die "usage: table.pl ROOT ROWS-PROGRAM NM\n" unless defined $nm && -d "$root/tests/cases";

sub run {
    my @command = @_;
    open my $in, '-|', @command or die "$command[0]: $!\n";
    my @lines = <$in>;
    close $in or die "table.pl: @command failed\n";
    chomp @lines;
    return @lines;
}

my (%address, %name_at);
for (run($nm, $program)) {
    my ($at, $kind, $name) = /^([0-9a-f]+) (\w) (\w+)/ or next;
    $name_at{ hex $at } //= $name if lc $kind eq 't';
    $address{$name} = hex $at if $name eq 'agpu_catalogue';
}
die "table.pl: $nm shows no agpu_catalogue in $program\n" unless defined $address{agpu_catalogue};

sub plain { # the text of a comment as one line
    my ($text) = @_;
    $text =~ s{^\s*/\*\s*|\s*\*/\s*$}{}g;
    $text =~ s{\s*\n\s*\*?\s*}{ }g;
    return $text;
}

sub sentence { # the first one; a dot inside brackets or a number ends none
    my ($text) = @_;
    $text =~ s/\s*\([^()]*\.md [^()]*\)//g;
    $text = $1 if $text =~ /^(.+?[^.\d])\.(?:\s+[A-Z`"].*|\s*)$/;
    $text =~ s/\s*\.?\s*$//;
    return $text;
}

my %file;
sub source {
    my ($path) = @_;
    return $file{$path} if $file{$path};
    open my $in, '<', "$root/$path" or die "table.pl: $path: $!\n";
    my $text = do { local $/; <$in> };
    my %found = (purpose => '', line => {}, comment => {});
    $found{purpose} = sentence(plain($1)) =~ s/^\S+\.c: //r if $text =~ m{\A(/\*.*?\*/)}s;
    while ($text =~ m{^((?:/\*(?:(?!\*/).)*\*/\n)?)static void (\w+)\(struct agpu_test}gms) {
        my ($comment, $name, $until) = ($1, $2, $+[2]);
        $found{line}{$name} = 1 + (substr($text, 0, $until) =~ tr/\n//);
        $found{comment}{$name} = sentence(plain($comment)) if $comment ne '' && $comment !~ m{^/\* ----};
    }
    $found{table} = $text =~ /^AGPU_CASE_TABLE/m ? 1 + (substr($text, 0, $-[0]) =~ tr/\n//) : 1;
    $found{text} = [split /\n/, $text];
    $found{row}{$1} //= 1 + (substr($text, 0, $-[1]) =~ tr/\n//) while $text =~ /"([a-z0-9_]+(?:\.[a-z0-9_]+)+)"/g;
    return $file{$path} = \%found;
}

my @rows = map { [split /\t/] } run($program);
my %serves;
for my $row (@rows) {
    $row->[4] = ($name_at{ $address{agpu_catalogue} + $row->[4] } // '') =~ s/\..*//r; # name.part.0: a compiler's
    $serves{"$row->[2] $row->[4]"}++;
}
die "table.pl: $program knows no case\n" unless @rows;

# A row that a macro puts together has the end of the id alone, or its middle: the line of the row, and the body on it.
sub row_of {
    my ($source, $id) = @_;
    my @tails = map { $id =~ s/^(?:\w+\.){$_}//r } 0 .. ($id =~ tr/.//);

    push @tails, map { s/_[^_.]*$//r } @tails for 1, 2; # a suffix of one word or two: _d3d10_1
    push @tails, map { s/^[^_.]*_//r } @tails;          # a prefix
    for my $tail (grep { /../ } @tails) {
        for my $i (0 .. $#{ $source->{text} }) {
            next unless $source->{text}[$i] =~ /"\.?\Q$tail\E"/;
            my $row = "$source->{text}[$i] " . ($source->{text}[$i + 1] // '');
            my ($body) = grep { $source->{line}{$_} } $row =~ /\b([a-z]\w+)\b/g;
            return ($i + 1, $body);
        }
    }
    return;
}

sub words {
    my ($text) = @_;
    return $text =~ tr/_./  /r;
}

for my $row (@rows) {
    my ($id, $spec, $path, $flags, $body) = @$row;
    my $source = source($path);
    my $line = $source->{line}{$body} // $source->{row}{$id};
    my ($own, $last) = ($id =~ s/^\w+\.//r, $id =~ s/.*\.//r);
    if (!defined $line) {
        my ($row, $named) = row_of($source, $id);

        $body = $named // $body;
        $line = $source->{line}{$body} // $row // $source->{table};
    }
    my $says = $source->{comment}{$body};

    $says = '' if defined $says && $says =~ /^[A-Z]+-\d+(?:\W+(?:to|and)?\W*[A-Z]*-?\d+)*$/; # a behaviour's number alone
    if (!defined $says || $says eq '') {
        $says = words($own) . ": $source->{purpose}";
    } elsif (($serves{"$path $body"} // 0) > 1) {
        $says .= ' (' . words($last) . ')';
    }
    $says = ucfirst $says;
    s/(["\\])/\\$1/g for $says;
    my ($legacy, $model, $together, $asked) = map { $_ ? 'true' : 'false' } split //, $flags;
    printf "{\"%s\", \"%s\", \"%s\", %d, \"%s.\", %s, %s, %s, %s},\n", $id, $spec, $path, $line, $says, $legacy, $model,
        $together, $asked;
}
